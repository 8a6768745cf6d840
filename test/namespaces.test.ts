import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { EmbeddedEngine } from "../src/embedded/engine.ts";
import { Bench, freshNamespace, HOMES, openEngine, refused } from "./engines.ts";
import { jobIn, STATES } from "./states.ts";
import { heard, told } from "./told.ts";

for (const home of HOMES) {
  describe(`namespaces (${home})`, () => {
    const benches: Bench[] = [];
    const folders: string[] = [];
    afterEach(async () => {
      for (const bench of benches.splice(0)) {
        expect(await bench.problems()).toEqual([]);
        await bench.engine.close();
      }
      for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
    });

    /** Benches in one database, one for each namespace. */
    async function opened(...namespaces: string[]): Promise<Bench[]> {
      const folder = mkdtempSync(join(tmpdir(), "qless-"));
      folders.push(folder);
      const file = join(folder, "queue.db");
      for (const namespace of namespaces) {
        const engine =
          home === "sqlite"
            ? await EmbeddedEngine.open(file, { namespace, synchronous: "normal" })
            : await openEngine(home, namespace);
        benches.push(new Bench(engine, home));
      }
      return benches.slice(-namespaces.length);
    }

    /** Something of every kind. */
    async function furnish(bench: Bench): Promise<void> {
      for (const state of STATES) {
        await jobIn(bench, state, { jid: state, queue: `q-${state}`, tags: ["x"], source: "s" });
        await bench.call("track", "track", state);
      }
      await bench.call("recur", "q", "r", "klass", "{}", "interval", 60, 0);
      await bench.call("config.set", "q-heartbeat", 10);
      await bench.request("id", "pause", "paused");
    }

    test("in one database never see each other", async () => {
      const name = freshNamespace();
      const kin = [name, `${name}2`, `${name}.q`, `${name}-q`, `${name}_`, `x${name}`, `{${name}}`];
      const spaces = await opened(...kin);
      const [first, ...others] = spaces;
      const empty = await told(first!);
      await furnish(first!);
      for (const other of others) {
        expect(await told(other)).toEqual(empty);
        expect(await other.json("get", "waiting")).toBeNull();
        expect(await other.call("length", "q-waiting")).toBe(0);
        expect(await other.pop("q-waiting", "w", 10)).toEqual([]);
        await other.call("worker.deregister", "w");
      }
      const full = await told(first!);
      for (const other of others) await furnish(other);
      for (const other of others) {
        for (let i = 0; i < 10; i++) await other.later(100_000).call("tick");
        await other.call("cancel", "waiting", "failed");
      }
      expect(await told(first!)).toEqual(full);
    });

    test("give leases, requests and places of their own", async () => {
      const name = freshNamespace();
      const [one, two] = (await opened(name, `${name}2`)) as [Bench, Bench];
      for (const bench of [one, two]) {
        expect(await bench.request("id", "put", "w", "q", "a", "k", "{}", 0)).toBe("a");
        expect(await bench.pop("q", "w")).toMatchObject([{ jid: "a", lease: 1 }]);
      }
      await one.call("complete", "a", "w", "q", "{}");
      expect(await two.call("complete", "a", "w", "q", "{}")).toBe("complete");
    });

    test("hear their own events only", async () => {
      const name = freshNamespace();
      const [one, two] = (await opened(name, `${name}2`)) as [Bench, Bench];
      const events = await heard(one, async () => {
        await two.put("q", "theirs");
        await one.put("q", "ours");
        await two.call("cancel", "theirs");
      });
      expect(events).toEqual([["log", { event: "put", jid: "ours", queue: "q" }]]);
    });

    test("are shared by engines of the same name", async () => {
      const name = freshNamespace();
      const [one, two] = (await opened(name, name)) as [Bench, Bench];
      await one.put("q", "a");
      expect(await two.pop("q", "w")).toMatchObject([{ jid: "a" }]);
      expect(await one.json("get", "a")).toMatchObject({ state: "running", worker: "w" });
      await two.call("complete", "a", "w", "q", "{}");
      expect(await one.call("jobs", "complete")).toEqual(["a"]);
    });

    test("are refused names that could reach into another", async () => {
      const bad = ["", "a:b", "a b", "é", "a*", "a?", "[a]", "{a", "a}", "{}", "a{b}", "a\n"];
      for (const name of [...bad, "x".repeat(65), `{${"x".repeat(63)}}`]) {
        await refused(openEngine(home, name), "BAD_ARGUMENT", /^Namespace .* is not allowed/);
      }
    });
  });
}
