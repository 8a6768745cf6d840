import { expect, test } from "vitest";
import { everyEngine } from "../engines.ts";
import { type BadCall, refusesEach, type Words } from "./behaviour.ts";

const CONTEXT = ' {"traceparent" : "00-é\\u00e9",\t"n":123456789012345678,"x":{}} ';

everyEngine("put with a context", (open) => {
  test("gives it to who pops the job, byte for byte, and shows it", async () => {
    const bench = await open();
    await bench.put("q", "a", { context: CONTEXT });
    expect((await bench.json("get", "a")).context).toBe(CONTEXT);
    expect(await bench.pop("q", "w")).toMatchObject([{ jid: "a", context: CONTEXT }]);
  });

  test("comes with the job as it was put, whatever is in it", async () => {
    const bench = await open();
    const context = '{\t"a":"b c"\n}';
    await bench.put("q", "a", { context });
    const [told] = (await bench.call("pop", "q", "w", 1)) as string[];
    expect(told!.split("\t")[5]).toBe(JSON.stringify({ context }));
  });

  test("is not part of a plain job, nor shown of one", async () => {
    const bench = await open();
    await bench.put("q", "a");
    expect((await bench.json("get", "a")).context).toBeNull();
    const [told] = (await bench.call("pop", "q", "w", 1)) as string[];
    expect(told!.split("\t")[5]).toBe("");
  });

  test("travels with the job through retries and queues", async () => {
    const bench = await open();
    await bench.put("q", "a", { context: "{}" });
    await bench.pop("q", "w");
    await bench.call("retry", "a", "q", "w");
    await bench.pop("q", "w");
    await bench.call("complete", "a", "w", "q", "{}", "next", "r");
    expect(await bench.pop("r", "w")).toMatchObject([{ context: "{}" }]);
    await bench.call("fail", "a", "w", "group", "message");
    await bench.call("unfail", "q", "group");
    expect(await bench.pop("q", "w")).toMatchObject([{ context: "{}" }]);
  });

  test("is that of the newest put, or none", async () => {
    const bench = await open();
    await bench.put("q", "a", { context: "{}" });
    await bench.put("q", "a", { context: '{"b":1}' });
    expect((await bench.json("get", "a")).context).toBe('{"b":1}');
    await bench.call("requeue", "w", "q", "a", "klass", "{}", 0);
    expect((await bench.json("get", "a")).context).toBeNull();
    await bench.call("put.many", "w", "q", "a", "klass", "{}", 0, 2, "context", "{}");
    expect((await bench.json("get", "a")).context).toBe("{}");
  });

  test("may have 4,096 bytes", async () => {
    const bench = await open();
    const context = `{"x":"${"é".repeat(2044)}"}`;
    expect(Buffer.byteLength(context)).toBe(4096);
    await bench.put("q", "a", { context });
    expect(await bench.pop("q", "w")).toMatchObject([{ context }]);
  });

  test("refuses what is no JSON object or too long, and changes nothing", async () => {
    const bench = await open();
    await bench.put("q", "a", { context: "{}" });
    const head: Words = ["w", "q", "a", "klass", "{}", 0, "context"];
    const not = ["", "[]", "1", "null", "{", '{"a"}', '"{}"', "{} {}", "x"];
    const bad = not.map((context): BadCall => {
      return [context, [...head, context], 'Arg "context" not a JSON object'];
    });
    const long = `{"x":"${"é".repeat(2044)}" }`;
    bad.push(["long", [...head, long], 'Arg "context" is longer than 4096 bytes']);
    await refusesEach(bench, "put", bad);
  });
});
