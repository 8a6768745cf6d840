import { expect, test } from "vitest";
import { everyEngine, jidsOf } from "../engines.ts";
import { badName, heard, LONG, missing, refusesEach, unchanged } from "../told.ts";
import { refusedInVain, resent } from "./behaviour.ts";

everyEngine("recur.pause", (open) => {
  async function recurring() {
    const bench = await open();
    await bench.call("recur", "q", "r", "klass", "{}", "interval", 60, 60);
    return bench;
  }

  test("stops the children of a recurring job, which stays among those of its queue", async () => {
    const bench = await recurring();
    expect(await bench.later(5).call("recur.pause", "r")).toBe(1);
    bench.later(600);
    expect(await bench.json("tick")).toMatchObject({ moved: 0, more: false });
    expect(await bench.pop("q", "w", 10)).toEqual([]);
    expect(await bench.json("queues", "q")).toMatchObject({ recurring: 1, waiting: 0 });
    expect(await bench.call("jobs", "recurring", "q")).toEqual(["r"]);
    expect(await bench.problems()).toEqual([]);
  });

  test("is told with the time since when, and without a next child", async () => {
    const bench = await recurring();
    const { next: _, ...before } = await bench.json("recur.get", "r");
    await bench.later(5.5).call("recur.pause", "r");
    expect(await bench.json("recur.get", "r")).toEqual({ ...before, paused: true });
  });

  test("wakes nobody once the time has passed at which a child would have come", async () => {
    const bench = await recurring();
    await bench.call("recur.pause", "r");
    await bench.later(60).call("tick");
    expect(await bench.json("tick")).toMatchObject({ more: false, next: null, moved: 0 });
    expect(await bench.json("wait", "w", 10, "q")).toMatchObject({ ready: false, next: null });
  });

  test("leaves pops as quiet as ticks", async () => {
    const bench = await recurring();
    await bench.call("recur.pause", "r");
    await bench.later(60).pop("q", "w", 1);
    expect(await bench.json("wait", "w", 10, "q")).toMatchObject({ ready: false, next: null });
  });

  test("leaves the other recurring jobs of the queue alone", async () => {
    const bench = await recurring();
    await bench.call("recur", "q", "s", "klass", "{}", "interval", 60, 60);
    await bench.call("recur.pause", "r");
    expect(jidsOf(await bench.later(60).pop("q", "w", 10))).toEqual(["s-1"]);
    expect(await bench.json("tick")).toMatchObject({ next: 1_000_120 });
    expect(await bench.call("jobs", "recurring", "q")).toEqual(["s", "r"]);
  });

  test("leaves the children that are there alone", async () => {
    const bench = await recurring();
    await bench.later(60).call("tick");
    await bench.call("recur.pause", "r");
    expect(jidsOf(await bench.later(600).pop("q", "w", 10))).toEqual(["r-1"]);
  });

  test("changes nothing when it is paused already", async () => {
    const bench = await recurring();
    await bench.call("recur.pause", "r");
    bench.later(5);
    await unchanged(bench, async () => expect(await bench.call("recur.pause", "r")).toBe(0));
  });

  test("lasts when the recurring job is defined again, in another queue even", async () => {
    const bench = await recurring();
    await bench.call("recur.pause", "r");
    await bench.later(10).call("recur", "other", "r", "new", "{}", "interval", 30, 20);
    const { next, ...told } = await bench.json("recur.get", "r");
    expect([next, told]).toMatchObject([undefined, { klass: "new", paused: true }]);
    expect(await bench.problems()).toEqual([]);
    bench.later(5);
    expect(await bench.json("tick")).toMatchObject({ moved: 0 });
    await bench.call("recur.unpause", "r");
    expect((await bench.json("recur.get", "r")).next).toBe(1_000_030);
    expect(jidsOf(await bench.later(15).pop("other", "w", 10))).toEqual(["r-1"]);
  });

  test("lasts when the recurring job is changed, whose plan is moved along", async () => {
    const bench = await recurring();
    await bench.call("recur.pause", "r");
    await bench.later(1).call("recur.update", "r", "interval", 90, "queue", "other");
    expect(await bench.json("recur.get", "r")).toMatchObject({ interval: 90, paused: true });
    expect(await bench.problems()).toEqual([]);
    expect(await bench.json("queues")).toMatchObject([
      { name: "q", recurring: 0 },
      { name: "other", recurring: 1 },
    ]);
    bench.later(80);
    expect(await bench.json("tick")).toMatchObject({ moved: 0 });
    await bench.call("recur.unpause", "r");
    expect((await bench.json("recur.get", "r")).next).toBe(1_000_090);
  });

  test("ends with the recurring job", async () => {
    const bench = await recurring();
    await bench.call("recur.pause", "r");
    await bench.call("unrecur", "r");
    expect(await bench.call("jobs", "recurring", "q")).toEqual([]);
    await bench.call("recur", "q", "r", "klass", "{}", "interval", 60, 0);
    expect(jidsOf(await bench.pop("q", "w", 10))).toEqual(["r-1"]);
  });

  test("is refused for what does not recur", async () => {
    const bench = await recurring();
    await bench.put("q", "a");
    for (const jid of ["a", "none"]) {
      const reason = `Recurring job ${jid} does not exist`;
      await refusedInVain(bench, ["recur.pause", jid], "NO_SUCH_RECURRING", reason);
    }
  });

  test("announces nothing, and answers the same when it is sent again", async () => {
    const bench = await recurring();
    await bench.call("recur", "q", "s", "klass", "{}", "interval", 60, 60);
    expect(await heard(bench, () => bench.call("recur.pause", "s"))).toEqual([]);
    expect(await resent(bench, "recur.pause", "r")).toBe(1);
  });

  test("refuses bad arguments", async () => {
    const bench = await recurring();
    await refusesEach(bench, "recur.pause", [
      [[], missing("jid")],
      [[""], badName("jid")],
      [["r\n"], badName("jid")],
      [[LONG], badName("jid")],
      [["r", "s"], /^Odd number of additional args/],
    ]);
  });
});
