import { describe, expect, onTestFinished, test } from "vitest";
import { connect } from "../../src/connect.ts";
import { freshNamespace, redisUrl } from "../engines.ts";
import { startProxy } from "../redis/proxy.ts";

/** A client behind a network that goes silent without closing connections. */
async function darkened({ listens }: { listens: boolean }) {
  const { port, pathname } = new URL(redisUrl());
  const wire = await startProxy(Number(port));
  const options = { namespace: freshNamespace(), onWarning: () => {} };
  const client = await connect(wire.url + pathname, options);
  onTestFinished(() => client.close());
  const { jid } = await client.put("k", {});
  if (listens) await client.events.on({}, () => {});
  wire.rule = () => new Promise(() => {});
  wire.freeze();
  return { client, jid };
}

/** Far below the 10 s after which the engine gives up, and far above the limits set here. */
const SOON_MS = 4000;

describe.each([
  ["that has not listened before", false],
  ["that listens already", true],
])("a client %s, while Redis is silent", (_, listens) => {
  test("ends waitFor when its timeout is over", async () => {
    const { client, jid } = await darkened({ listens });
    const begun = performance.now();
    await expect(client.waitFor(jid, { timeout: 500 })).rejects.toMatchObject({ code: "TIMEOUT" });
    const took = performance.now() - begun;
    expect(took).toBeGreaterThan(490);
    expect(took).toBeLessThan(SOON_MS);
  });

  test("ends waitFor when its signal is aborted", async () => {
    const { client, jid } = await darkened({ listens });
    const control = new AbortController();
    const begun = performance.now();
    setTimeout(() => control.abort(new Error("enough")), 50);
    const waiting = client.waitFor(jid, { signal: control.signal, timeout: "1h" });
    await expect(waiting).rejects.toThrow("enough");
    expect(performance.now() - begun).toBeLessThan(SOON_MS);
  });
});
