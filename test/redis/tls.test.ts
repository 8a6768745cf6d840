import { describe, expect, test } from "vitest";
import { tlsFaultIn } from "../../src/redis/tls.ts";

/** What node:tls says of faults that are tedious to bring about, and what becomes of it. */
const FAULTS: [code: string, words: string, fault: string][] = [
  [
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "self-signed certificate",
    "BAD_CERTIFICATE The certificate of Redis at h:1 is signed by an authority that is not trusted here (self-signed certificate): give the certificate of that authority as option `ca` of `tls`",
  ],
  [
    "CERT_HAS_EXPIRED",
    "certificate has expired",
    "BAD_CERTIFICATE The certificate of Redis at h:1 is not accepted (certificate has expired): renew it, and see that option `ca` of `tls` is still right",
  ],
  [
    "ERR_SSL_TLSV1_ALERT_UNKNOWN_CA",
    "tlsv1 alert unknown ca",
    "CERTIFICATE_WANTED Redis at h:1 does not accept this client's certificate, or misses one (tlsv1 alert unknown ca): give one that it trusts as options `cert` and `key` of `tls`",
  ],
  [
    "EPROTO",
    "wrong version\nnumber\n",
    "TLS_FAILED TLS with Redis at h:1 failed (wrong version number): is this the port for TLS?",
  ],
];

function fault(code: string, words: string) {
  return tlsFaultIn(Object.assign(new Error(words), { code }), "h:1");
}

describe("an error of TLS", () => {
  test.each(FAULTS)("%s becomes a sentence that says what to do", (code, words, sentence) => {
    const found = fault(code, words);
    expect(`${found?.code} ${found?.says}`).toBe(sentence);
  });

  test("is final where certificates are at fault, and not where a server only mumbles", () => {
    const lasting = FAULTS.map(([code, words]) => fault(code, words)?.lasting);
    expect(lasting).toEqual([true, true, true, false]);
  });

  test.each(["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "WRONGPASS", undefined])(
    "is not what %s is",
    (code) => expect(fault(code as string, "x")).toBeUndefined(),
  );
});
