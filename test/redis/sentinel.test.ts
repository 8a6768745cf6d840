import { describe, expect, test } from "vitest";
import { startWatched } from "./sentinel.ts";
import { openEngine } from "./support.ts";

describe("Sentinel", () => {
  test("leads to the primary, and to the next one after a failover", async () => {
    const { sentinels, failOver } = await startWatched();
    const engine = await openEngine("redis://unused", { sentinels, timeoutMs: 25_000 });
    expect(await engine.call("put", [], { request: "a" })).toBe(1);
    await failOver();
    expect(await engine.call("put", [], { request: "b" })).toBe(2);
  }, 30_000);
});
