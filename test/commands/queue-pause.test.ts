import { expect, test } from "vitest";
import { everyEngine, jidsOf, popped } from "../engines.ts";
import { badName, heard, LONG, missing, refusesEach, unchanged } from "../told.ts";
import { resent } from "./behaviour.ts";

everyEngine("queue.pause", (open) => {
  async function opened() {
    const bench = await open();
    await bench.put("q", "a");
    const pause = (...options: (string | number)[]) => bench.call("queue.pause", "q", ...options);
    const shown = () => bench.json("queues", "q");
    return { bench, pause, shown };
  }
  const until = 1_000_060;

  test("stops the handing out of jobs, and tells why and until when", async () => {
    const { bench, pause, shown } = await opened();
    expect(await pause("reason", 'the "printer" is out', "until", until)).toBe(false);
    expect(await bench.pop("q", "w")).toEqual([]);
    expect(await shown()).toMatchObject({
      waiting: 1,
      paused: true,
      paused_reason: 'the "printer" is out',
      paused_until: until,
    });
    expect((await bench.json("explain", "a")).reasons[0]).toEqual({
      reason: "paused",
      since: 1_000_000,
      until,
      why: 'the "printer" is out',
    });
  });

  test("tells only what was said", async () => {
    const { bench, pause, shown } = await opened();
    const plain = Object.keys(await shown());
    await pause();
    expect(Object.keys(await shown())).toEqual(plain);
    expect(await shown()).toMatchObject({ paused: true });
    await pause("reason", "", "until", until);
    expect(Object.keys(await shown())).toEqual([...plain, "paused_until"]);
    expect((await bench.json("explain", "a")).reasons[0]).toEqual({
      reason: "paused",
      since: 1_000_000,
      until,
    });
  });

  test("ends by itself, for pop at once", async () => {
    const { bench, pause } = await opened();
    await pause("until", until);
    expect(await bench.later(59.999).pop("q", "w")).toEqual([]);
    expect(jidsOf(await bench.later(0.001).pop("q", "w"))).toEqual(["a"]);
    expect(await bench.json("queues", "q")).toMatchObject({ paused: false });
  });

  test("ends by itself for a pop from several queues, and for finish", async () => {
    const { bench, pause } = await opened();
    await bench.put("q", "b");
    await pause("until", until);
    bench.at(until);
    expect(await bench.call("pop", "r", "w", 1, "also", '["q"]')).toHaveLength(1);
    const more = await bench.call("finish", "w", 5, '["q"]');
    expect(jidsOf(popped(more))).toEqual(["b"]);
  });

  test("is no pause any more once its end has passed, though nobody has come by", async () => {
    const { bench, pause, shown } = await opened();
    const plain = await shown();
    await bench.pop("r", "w");
    await pause("reason", "why", "until", until);
    bench.at(until);
    await unchanged(bench, async () => {
      expect(await shown()).toEqual(plain);
      const names = (await bench.json("explain", "a")).reasons.map(
        ({ reason }: { reason: string }) => reason,
      );
      expect(names).not.toContain("paused");
    });
  });

  test("needs tick when it ends, and no more after that", async () => {
    const { bench, pause } = await opened();
    await pause("reason", "why", "until", until);
    expect(await bench.json("tick")).toMatchObject({ more: false, next: until });
    await bench.put("q", "b", { delay: 10 });
    expect(await bench.json("tick")).toMatchObject({ next: 1_000_010 });
    expect(await bench.later(10).json("tick")).toMatchObject({ next: until, moved: 1 });
    expect(await bench.at(until).json("tick")).toMatchObject({ more: false, next: null, moved: 0 });
    // Nothing is left of it that a new pause could take for its own.
    await bench.call("pause", "q");
    expect(await bench.json("queues", "q")).not.toHaveProperty("paused_reason");
  });

  test("said again, replaces reason and end and keeps the beginning", async () => {
    const { bench, pause, shown } = await opened();
    await pause("reason", "one", "until", until);
    bench.later(30);
    await pause("reason", "two");
    expect(await shown()).toMatchObject({ paused: true, paused_reason: "two" });
    expect(await shown()).not.toHaveProperty("paused_until");
    bench.at(until + 60);
    expect(await bench.pop("q", "w")).toEqual([]);
    expect((await bench.json("explain", "a")).reasons[0]).toMatchObject({ since: 1_000_000 });
  });

  test("begins anew after its end", async () => {
    const { bench, pause } = await opened();
    await pause("reason", "one", "until", until);
    bench.at(until + 5);
    await pause("until", until + 10);
    expect((await bench.json("explain", "a")).reasons[0]).toEqual({
      reason: "paused",
      since: until + 5,
      until: until + 10,
    });
  });

  test("becomes a pause without reason and end by pause, and none by unpause", async () => {
    const { bench, pause, shown } = await opened();
    await pause("reason", "why", "until", until);
    await bench.call("pause", "q");
    expect(await shown()).toMatchObject({ paused: true });
    expect(await shown()).not.toHaveProperty("paused_reason");
    expect(await bench.at(until + 1).pop("q", "w")).toEqual([]);
    await pause("reason", "why", "until", until + 60);
    await bench.call("unpause", "q");
    expect(await shown()).toMatchObject({ paused: false });
    expect(jidsOf(await bench.pop("q", "w"))).toEqual(["a"]);
  });

  test("pauses a queue before there is one", async () => {
    const bench = await open();
    await bench.call("queue.pause", "new", "until", until);
    expect(await bench.json("queues")).toEqual([]);
    await bench.put("new", "a");
    expect(await bench.pop("new", "w")).toEqual([]);
    expect(await bench.at(until).pop("new", "w")).toHaveLength(1);
  });

  test("announces nothing, and takes effect once when it is sent again", async () => {
    const { bench } = await opened();
    const words = ["q", "reason", "why", "until", until];
    expect(await heard(bench, () => bench.call("queue.pause", ...words))).toEqual([]);
    expect(await resent(bench, "queue.pause", ...words)).toBe(false);
  });

  test("takes a reason of a thousand bytes and some", async () => {
    const { pause, shown } = await opened();
    await pause("reason", "é".repeat(512));
    expect((await shown()).paused_reason).toBe("é".repeat(512));
  });

  test("refuses bad arguments", async () => {
    const { bench } = await opened();
    const future = /^Arg "until" must be in the future/;
    await refusesEach(bench, "queue.pause", [
      [[], missing("queue")],
      [[""], badName("queue")],
      [["q\n"], badName("queue")],
      [[LONG], badName("queue")],
      [["q", "r"], /^Odd number of additional args/],
      [["q", "why", "x"], /^Unknown option why: it takes reason, until/],
      [["q", "reason", "é".repeat(513)], 'Arg "reason" is longer than 1024 bytes'],
      [["q", "until", "soon"], 'Arg "until" not a number: soon'],
      [["q", "until", -1], /^Arg "until" must be from 0 to/],
      [["q", "until", 999_999], future],
      [["q", "until", 1_000_000], future],
    ]);
  });
});
