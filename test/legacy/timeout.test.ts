import { describe, expect, test } from "vitest";
import { useLegacy } from "./client.ts";

const legacy = useLegacy();

/** Puts a job at 0 and gives it to `w` at 1, so that its lock expires at 61. */
async function running(jid = "a", ...options: (string | number)[]): Promise<void> {
  await legacy.put(0, "q", jid, ...options);
  await legacy.popped(1, "q", "w", [jid]);
}

describe("timeout", () => {
  test("takes a job from its worker at once, and pop hands it out first", async () => {
    await running("a", "priority", 10);
    await legacy.put(2, "q", "b", "priority", 1);
    expect(await legacy.call("timeout", 3, "a")).toBeNull();
    const job = await legacy.job(3, "a");
    expect(job).toMatchObject({ state: "stalled", worker: "", expires: 0, remaining: 5 });
    expect(job.history.map(({ what }) => what)).toEqual(["put", "popped", "timed-out"]);
    expect(await legacy.json("workers", 3, "w")).toEqual({ jobs: [], stalled: [] });
    await legacy.popped(3, "q", "other", ["a", "b"]);
    expect((await legacy.job(3, "a")).history).toHaveLength(4);
  });

  test("takes several jobs, each once", async () => {
    await legacy.put(0, "q", "a");
    await legacy.put(0, "q", "b");
    await legacy.pop(0, "q", "w");
    await legacy.call("timeout", 1, "a", "b", "a");
    await legacy.popped(1, "q", "other", ["a", "b"]);
  });

  test("of nothing does nothing, as when a queue without running jobs is paused", async () => {
    expect(await legacy.call("timeout", 0)).toBeNull();
  });

  test("is refused for jobs that do not exist or do not run, and then takes none", async () => {
    await running();
    await legacy.put(2, "q", "b");
    await legacy.refusedWhole(
      () => legacy.call("timeout", 3, "a", "c"),
      "Timeout(): Job c does not exist",
    );
    await legacy.refusedWhole(
      () => legacy.call("timeout", 3, "a", "b"),
      /^Timeout\(\): Job b .*not (currently )?running/,
    );
    expect(await legacy.call("heartbeat", 3, "a", "w")).toBe(63);
  });

  test("of all that runs is how the Ruby client pauses a queue and stops its jobs", async () => {
    await legacy.put(0, "q", "a");
    await legacy.put(0, "q", "b");
    await legacy.pop(0, "q", "w");
    await legacy.call("pause", 1, "q");
    const jids = (await legacy.call("jobs", 1, "running", "q", 0, -1)) as string[];
    await legacy.call("timeout", 1, ...jids);
    expect(await legacy.counts(1, "q")).toMatchObject({ running: 0, waiting: 2, paused: true });
  });
});
