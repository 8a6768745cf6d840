import {
  type ConnectionOptions,
  connect,
  createSecureContext,
  type PeerCertificate,
} from "node:tls";
import { Invalid } from "../engine.ts";

/** How to secure a `rediss://` connection; the options of node:tls that a client needs. */
export interface TlsOptions {
  /** The authorities to trust, as the text of PEM files, in place of those that Node knows. */
  ca?: ConnectionOptions["ca"];
  /** This client's own certificate, where the server asks for one; the text of a PEM file. */
  cert?: ConnectionOptions["cert"];
  /** The private key of `cert`; the text of a PEM file, without a passphrase. */
  key?: ConnectionOptions["key"];
  /** The name to find in the server's certificate, where it is not the host of the URL. */
  servername?: string;
  /** `false` takes any certificate, and with it any server that gets in between; default `true`. */
  rejectUnauthorized?: boolean;
}

/** The options as given, or a refusal of what no handshake could use. */
export function checkedTls(tls: TlsOptions): TlsOptions {
  for (const name of ["ca", "cert", "key"] as const) {
    // OpenSSL takes any text for authorities, and finds none in it.
    if ([tls[name] ?? []].flat().some(isNotPem)) {
      throw unusable(`\`${name}\` must be the text of a PEM file, not its path`);
    }
  }
  if ((tls.cert === undefined) !== (tls.key === undefined)) {
    throw unusable("`cert` and `key` go together");
  }
  try {
    createSecureContext(tls);
  } catch (error) {
    throw unusable((error as Error).message.replace(/^error:.*:/, ""));
  }
  return tls;
}

function isNotPem(value: unknown): boolean {
  const isText = typeof value === "string" || Buffer.isBuffer(value);
  return isText && !value.includes("-----BEGIN ");
}

function unusable(reason: string): Invalid {
  return new Invalid("BAD_ARGUMENT", `Option \`tls\` cannot be used: ${reason}`);
}

/** Why TLS with a server fails, in a sentence that says what to do. */
export interface TlsFault {
  code: string;
  says: string;
  /** Whether it stays so until somebody changes something. */
  lasting: boolean;
}

/** What an error of a socket says; OpenSSL and node:tls add words of their own. */
export type SocketError = Error & {
  code?: unknown;
  reason?: unknown;
  host?: unknown;
  cert?: PeerCertificate;
};

const UNTRUSTED = /^UNABLE_TO_|SELF_SIGNED_CERT|^CERT_(UNTRUSTED|CHAIN_TOO_LONG)$|^INVALID_CA$/;
const UNACCEPTED = /^CERT_|^CRL_|^ERROR_IN_CERT|^INVALID_PURPOSE$|^PATH_LENGTH_EXCEEDED$/;
/** What a server says that wants a certificate of us, or another; before TLS 1.3, only that it failed. */
const ASKED = /^ERR_SSL_\w+_ALERT_(\w*CERTIFICATE\w*|UNKNOWN_CA|HANDSHAKE_FAILURE)$/;

/** Finds what is wrong with certificates, or with TLS at all; undefined for any other error. */
export function tlsFaultIn(error: SocketError, place: string): TlsFault | undefined {
  const code = String(error.code);
  const words = wordsOf(error);
  const lasting = (name: string, says: string) => ({ code: name, says, lasting: true });
  const its = `The certificate of Redis at ${place}`;
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return lasting("BAD_CERTIFICATE", `${its} is ${wrongName(error)}`);
  }
  if (UNTRUSTED.test(code)) return lasting("BAD_CERTIFICATE", `${its} is ${untrusted(words)}`);
  if (UNACCEPTED.test(code)) return lasting("BAD_CERTIFICATE", `${its} is ${unaccepted(words)}`);
  if (ASKED.test(code)) {
    return lasting("CERTIFICATE_WANTED", `Redis at ${place} ${asked(words)}`);
  }
  if (code !== "EPROTO" && !code.startsWith("ERR_SSL_")) return undefined;
  const says = `TLS with Redis at ${place} failed (${words}): is this the port for TLS?`;
  return { code: "TLS_FAILED", says, lasting: false };
}

function wordsOf({ reason, message }: SocketError): string {
  return (typeof reason === "string" ? reason : message).replaceAll(/\s+/g, " ").trim();
}

function wrongName({ cert, host }: SocketError): string {
  const names = cert?.subjectaltname ?? cert?.subject?.CN ?? "nobody";
  const advice = "connect by a name that it is for, or give that as option `servername` of `tls`";
  return `for ${names} and not for ${host}: ${advice}`;
}

function untrusted(words: string): string {
  const advice = "give the certificate of that authority as option `ca` of `tls`";
  return `signed by an authority that is not trusted here (${words}): ${advice}`;
}

function unaccepted(words: string): string {
  return `not accepted (${words}): renew it, and see that option \`ca\` of \`tls\` is still right`;
}

function asked(words: string): string {
  const advice = "give one that it trusts as options `cert` and `key` of `tls`";
  return `does not accept this client's certificate, or misses one (${words}): ${advice}`;
}

/** A server that is to be spoken to by TLS. */
export interface SecurePlace {
  host: string;
  port: number;
  tls: ConnectionOptions;
}

/**
 * The error that TLS with a server ends in, if any.
 *
 * ioredis does not hand on why a Sentinel or a node of a cluster could not be reached, so this shakes
 * hands with it once more. That a certificate of ours is missing shows only in what comes after.
 */
export async function handshakeError(
  { host, port, tls }: SecurePlace,
  signal: AbortSignal,
): Promise<Error | undefined> {
  const socket = connect({ ...tls, host, port });
  const giveUp = () => socket.destroy();
  signal.addEventListener("abort", giveUp);
  try {
    socket.write("PING\r\n");
    return await new Promise((resolve) => {
      socket.once("error", resolve);
      for (const event of ["data", "close"]) socket.once(event, () => resolve(undefined));
    });
  } finally {
    signal.removeEventListener("abort", giveUp);
    socket.destroy();
  }
}
