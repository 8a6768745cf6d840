import { expect, test } from "vitest";
import { everyEngine } from "../engines.ts";
import { badName } from "../told.ts";
import {
  type BadCall,
  bring,
  contents,
  refusedInVain,
  refusesEach,
  resent,
  running,
  statesBut,
  type Words,
} from "./behaviour.ts";

everyEngine("heartbeat.many", (open) => {
  test("renews each lock, and tells until when", async () => {
    const bench = await open();
    const leases = await running(bench, "a", "b", "c");
    const beats: Words = ["c", leases.c!, "", "a", leases.a!, "", "b", "", ""];
    expect(await bench.later(30.75).call("heartbeat.many", "w", ...beats)).toEqual([
      "1000090.75",
      "1000090.75",
      "1000090.75",
    ]);
    expect(await bench.json("multiget", "a", "b", "c")).toMatchObject([
      { expires: 1_000_090.75 },
      { expires: 1_000_090.75 },
      { expires: 1_000_090.75 },
    ]);
  });

  test("judges each beat on its own", async () => {
    const bench = await open();
    const leases = await running(bench, "a", "b", "c", "d");
    await bench.call("complete", "c", "w", "q", "{}");
    await bench.call("timeout", "d");
    await bench.pop("q", "v");
    bench.later(10);
    const beats: Words = ["a", leases.a!, ""];
    beats.push("b", leases.b! + 100, "[1]", "c", leases.c!, "", "d", leases.d!, "", "x", 1, "");
    beats.push("a", "first", "", "a", "1.5", "", "a\nb", "", "", "", "", "");
    expect(await bench.call("heartbeat.many", "w", ...beats)).toEqual([
      "1000070",
      "LOCK_LOST Job b has been handed out again, under lease 2",
      "NOT_RUNNING Job c is not currently running: complete",
      "LOCK_LOST Job d has been handed out to another worker: v",
      "NO_SUCH_JOB Job x does not exist",
      'BAD_ARGUMENT Arg "lease" not a whole number: first',
      'BAD_ARGUMENT Arg "lease" not a whole number: 1.5',
      `BAD_ARGUMENT ${badName("jid")}`,
      `BAD_ARGUMENT ${badName("jid")}`,
    ]);
    expect(await bench.json("get", "b")).toMatchObject({ expires: 1_000_060, data: "{}" });
  });

  test.each(statesBut("running"))(
    "says of a job that is %s that it does not run",
    async (state) => {
      const bench = await open();
      await bring(bench, state);
      const before = await contents(bench);
      expect(await bench.call("heartbeat.many", "w", "a", "", "[1]")).toEqual([
        `NOT_RUNNING Job a is not currently running: ${state}`,
      ]);
      expect(await contents(bench)).toEqual(before);
    },
  );

  test("replaces the data of those that bring some", async () => {
    const bench = await open();
    await running(bench, "a", "b");
    const data = ' {"n":123456789012345678,"a":[]} ';
    await bench.call("heartbeat.many", "w", "a", "", data, "b", "", "");
    expect(await bench.json("multiget", "a", "b")).toMatchObject([{ data }, { data: "{}" }]);
  });

  test("renews by each queue's own heartbeat", async () => {
    const bench = await open();
    await bring(bench, "running", "a", "q");
    await bring(bench, "running", "b", "r");
    await bench.call("config.set", "r-heartbeat", 300);
    expect(await bench.call("heartbeat.many", "w", "a", "", "", "b", "", "")).toEqual([
      "1000060",
      "1000300",
    ]);
  });

  test("renews an expired lock and takes back a warning", async () => {
    const bench = await open();
    await running(bench, "a");
    await bench.at(1_000_060).pop("q", "v");
    await bench.at(1_000_075).call("heartbeat.many", "w", "a", "", "");
    expect(await bench.at(1_000_135).pop("q", "v")).toEqual([]);
    expect(await bench.json("get", "a")).toMatchObject({ worker: "w", remaining: 5 });
  });

  test("refuses a beat past the cutoff", async () => {
    const bench = await open();
    await bench.put("q", "a", { cutoff: 90 });
    await bench.put("q", "b");
    await bench.pop("q", "w", 2);
    const beats: Words = ["a", "", "", "b", "", ""];
    expect(await bench.later(50).call("heartbeat.many", "w", ...beats)).toEqual([
      "1000090",
      "1000110",
    ]);
    expect(await bench.later(40).call("heartbeat.many", "w", ...beats)).toEqual([
      "PAST_CUTOFF Job a has run longer than it may in queue q",
      "1000150",
    ]);
  });

  test("is silent", async () => {
    const bench = await open();
    await running(bench, "a", "b");
    await bench.call("track", "track", "a");
    const heard = await bench.hearing(async () => {
      await bench.call("heartbeat.many", "w", "a", "", "", "b", "", "");
    });
    expect(heard).toEqual([]);
  });

  test("gives the first answers when it is sent again under the same request id", async () => {
    const bench = await open();
    await running(bench, "a");
    expect(await resent(bench, "heartbeat.many", "w", "a", "", "", "x", "", "")).toEqual([
      "1000060",
      "NO_SUCH_JOB Job x does not exist",
    ]);
  });

  test("takes a thousand beats, and refuses one more", async () => {
    const bench = await open();
    const jids = Array.from({ length: 1_000 }, (_, i) => `j${i}`);
    const words = jids.flatMap((jid) => ["q", jid, "klass", "{}", 0, 0]);
    await bench.call("put.many", "w", ...words);
    await bench.pop("q", "w", 1_000);
    bench.later(30);
    const beats = jids.flatMap((jid) => [jid, "", ""]);
    const reason = "More than 1000 jobs in one call";
    const more: Words = ["w", ...beats, "more", "", ""];
    await refusedInVain(bench, ["heartbeat.many", ...more], "BAD_ARGUMENT", reason);
    const answers = await bench.call("heartbeat.many", "w", ...beats);
    expect(answers).toEqual(jids.map(() => "1000090"));
  });

  const EACH = "Each beat needs a jid, a lease and data";
  const BAD: BadCall[] = [
    ["no worker", [], 'Arg "worker" missing'],
    ["a bad worker", ["a\nb", "a", "", ""], /^Arg "worker" must be 1 to 255 bytes/],
    ["no beats", ["w"], 'Arg "beats" missing'],
    ["a beat without data", ["w", "a", 1], EACH],
    ["a second beat without lease", ["w", "a", "", "", "b"], EACH],
  ];

  test("refuses arguments that cannot be, and renews nothing", async () => {
    const bench = await open();
    await running(bench, "a", "b");
    await refusesEach(bench.later(5), "heartbeat.many", BAD);
  });
});
