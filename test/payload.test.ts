import { expect, test } from "vitest";
import { type Bench, everyEngine, poppedJob } from "./engines.ts";

/** Texts that some JSON reader or writer would change. */
const PAYLOADS: [what: string, data: string][] = [
  ["an empty array", "[]"],
  ["an empty object", "{}"],
  ["empty arrays and objects in each other", '{"a":[],"o":{},"n":[[],{},[{}]]}'],
  ["integers of eighteen digits", "[123456789012345678,-987654321098765432]"],
  ["numbers in odd spellings", "[1.0,1e2,1E+2,-0,0.10,1.7976931348623157e308,0.30000000000000004]"],
  ["nulls", '[null,{"a":null,"b":[null]}]'],
  ["scalars", "null"],
  ["a number", "42.0"],
  ["a text", '"text"'],
  ["keys in their order, and twice", '{"z":1,"a":2,"z":3}'],
  ["blanks and line breaks", ' {\r\n\t"a" : [ 1 , 2 ] \n} '],
  ["slashes, escaped and not", '"a/b\\/c"'],
  ["escapes", '"\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u001f\\u007F\\u007f\\u00e9\\ud83d\\ude00"'],
  ["many backslashes", '"\\\\u007f\\\\\\u007f\\\\\\\\u007f\\\\/"'],
  ["the character DEL", '"\u007f\u0080\u009f"'],
  ["unicode", '"Grüße, 你好, مرحبا, ẞ, \u00a0\u2028\u2029\ufeff\ufffd"'],
  ["emoji and what is beyond sixteen bits", '{"😀":"👩‍👩‍👧‍👦𝒜"}'],
  ["the names of a prototype", '{"__proto__":{"constructor":1},"toString":"hasOwnProperty"}'],
  ["text that looks like commands and patterns", '"*?[a] %s %1 $& ${x} \\\\1 KEYS ARGV EOF"'],
  ["half a megabyte", `{"long":"${"é/\\u007f".repeat(60_000)}"}`],
  ["a deep nest", `${"[".repeat(900)}${"]".repeat(900)}`],
];

const OTHER = '{"other":[1]}';

everyEngine("data", (open) => {
  /** Expects the data to come back as it is from every command that tells it. */
  async function expectData(bench: Bench, jid: string, data: string) {
    expect((await bench.json("get", jid)).data).toBe(data);
    expect((await bench.json("multiget", jid))[0].data).toBe(data);
  }
  async function popped(bench: Bench, queue = "q"): Promise<{ jid: string; data: string }> {
    const [job] = await bench.pop(queue, "w");
    return job!;
  }
  const paths: [path: string, walk: (bench: Bench, data: string) => Promise<void>][] = [
    [
      "put, peek and pop",
      async (bench, data) => {
        await bench.put("q", "a", { data });
        expect((await bench.json("peek", "q", 1))[0].data).toBe(data);
        expect((await popped(bench)).data).toBe(data);
      },
    ],
    [
      "put again and requeue",
      async (bench, data) => {
        await bench.put("q", "a", { data: OTHER });
        await bench.put("q", "a", { data });
        await expectData(bench, "a", data);
        await bench.put("q", "a", { data: OTHER });
        await bench.call("requeue", "w", "r", "a", "klass", data, 0);
      },
    ],
    [
      "a delay and dependencies",
      async (bench, data) => {
        await bench.put("q", "before");
        await bench.put("r", "a", { data, delay: 5, depends: ["before"] });
        await popped(bench);
        await bench.call("complete", "before", "w", "q", "{}");
        expect((await popped(bench.later(5), "r")).data).toBe(data);
      },
    ],
    [
      "heartbeat",
      async (bench, data) => {
        await bench.put("q", "a", { data: OTHER });
        await popped(bench);
        await bench.call("heartbeat", "a", "w", data);
        await expectData(bench, "a", data);
        await bench.call("heartbeat", "a", "w", OTHER);
        await bench.call("heartbeat.many", "w", "a", "", data);
        await expectData(bench, "a", data);
        await bench.call("heartbeat", "a", "w");
      },
    ],
    [
      "complete",
      async (bench, data) => {
        await bench.put("q", "a", { data: OTHER });
        await popped(bench);
        await bench.call("complete", "a", "w", "q", data);
      },
    ],
    [
      "complete into a next queue",
      async (bench, data) => {
        await bench.put("q", "a", { data: OTHER });
        await popped(bench);
        await bench.call("complete", "a", "w", "q", data, "next", "r");
        expect((await popped(bench, "r")).data).toBe(data);
      },
    ],
    [
      "fail, with the data and without, and unfail",
      async (bench, data) => {
        await bench.put("q", "a", { data: OTHER });
        await popped(bench);
        await bench.call("fail", "a", "w", "group", "message", data);
        await expectData(bench, "a", data);
        await bench.call("unfail", "q", "group");
        expect((await popped(bench)).data).toBe(data);
        await bench.call("fail", "a", "w", "group", "message");
      },
    ],
    [
      "retry, timeout and a lost lock",
      async (bench, data) => {
        await bench.put("q", "a", { data });
        await popped(bench);
        await bench.call("retry", "a", "q", "w", 5);
        await popped(bench.later(5));
        await bench.call("timeout", "a");
        await popped(bench);
        await bench.later(60).call("tick");
        expect((await popped(bench.later(10))).data).toBe(data);
      },
    ],
    [
      "recur, recur.update and the children",
      async (bench, data) => {
        await bench.call("recur", "q", "r", "klass", data, "interval", 60, 0);
        expect((await bench.json("recur.get", "r")).data).toBe(data);
        expect(await popped(bench)).toMatchObject({ jid: "r-1", data });
        await bench.call("recur.update", "r", "data", OTHER);
        await bench.call("recur.update", "r", "data", data);
        expect(await popped(bench.later(60))).toMatchObject({ jid: "r-2", data });
        await bench.put("q", "a", { data });
      },
    ],
    [
      "put.many and finish",
      async (bench, data) => {
        await bench.call(
          "put.many",
          "w",
          "q",
          "a",
          "klass",
          data,
          0,
          0,
          "q",
          "b",
          "k",
          OTHER,
          0,
          0,
        );
        expect((await popped(bench)).data).toBe(data);
        const [answer, job] = (await bench.call(
          "finish",
          "w",
          1,
          '["q"]',
          ...["complete", "a", "", 4, "data", OTHER, "next", "q"],
        )) as string[];
        expect(answer).toBe("waiting");
        expect(poppedJob(job!).data).toBe(OTHER);
        await popped(bench);
        const outcomes = [
          "complete",
          "b",
          "",
          2,
          "data",
          data,
          "complete",
          "a",
          "",
          2,
          "data",
          data,
        ];
        await bench.call("finish", "w", 0, "[]", ...outcomes);
        await expectData(bench, "b", data);
      },
    ],
    [
      "finish with a failure",
      async (bench, data) => {
        await bench.put("q", "a", { data: OTHER });
        await popped(bench);
        const words = ["fail", "a", "", 6, "group", "g", "message", "m", "data", data];
        await bench.call("finish", "w", 0, "[]", ...words);
      },
    ],
    [
      "track and the tag, priority and log of a job",
      async (bench, data) => {
        await bench.put("q", "a", { data });
        await bench.call("track", "track", "a");
        await bench.call("tag", "add", "a", "x");
        await bench.call("priority", "a", 3);
        await bench.call(
          "log",
          "a",
          "message",
          data.startsWith("{") && data.length < 999 ? data : "{}",
        );
        expect((await bench.json("track")).jobs[0].data).toBe(data);
      },
    ],
  ];

  for (const [path, walk] of paths) {
    test(`survives ${path}`, async () => {
      const bench = await open();
      for (const [what, data] of PAYLOADS) {
        await walk(bench, data).catch((error: Error) => {
          error.message = `${what}: ${error.message}`;
          throw error;
        });
        await expectData(bench, "a", data);
        await bench.put("q", "a");
        await bench.call("cancel", "a");
        await bench.call("unrecur", "r");
        await bench.call(
          "cancel",
          ...((await bench.call("jobs", "running", "q", 0, -1)) as string[]),
        );
      }
    });
  }

  test("may be any text to the core, of JSON or not, up to its size", async () => {
    const bench = await open();
    for (const data of ["", " ", "not JSON", "\t\n\u0000\u0001", '{"open', "é"]) {
      await bench.put("q", "a", { data });
      await expectData(bench, "a", data);
      expect((await popped(bench)).data).toBe(data);
    }
  });
});

everyEngine("texts about a job", (open) => {
  const TEXTS = [
    'say "yes"',
    "back\\slash and \\u007f and \\n",
    "tab\tline\nreturn\rnul\u0000bell\u0007del\u007f",
    "/slash/ é 你好 😀 \u2028",
    "x".repeat(60_000),
  ];

  test("survive in failures, retries and what is said of them", async () => {
    const bench = await open();
    for (const message of TEXTS) {
      await bench.put("q", "a");
      await bench.pop("q", "w");
      await bench.call("fail", "a", "w", "group", message);
      expect((await bench.json("get", "a")).failure.message).toBe(message);
      expect((await bench.json("explain", "a")).reasons[0].message).toBe(message);
      await bench.put("q", "a");
      await bench.pop("q", "w");
      await bench.call("retry", "a", "q", "w", 0, "group", message);
      expect((await bench.json("get", "a")).failure.message).toBe(message);
      await bench.call("cancel", "a");
    }
  });

  test("survive in the log of a job and in events", async () => {
    const bench = await open();
    await bench.put("q", "a");
    for (const message of TEXTS) {
      await bench.call("log", "a", message, JSON.stringify({ message }));
      const { history } = await bench.json("get", "a");
      expect(history.at(-1)).toMatchObject({ what: message, message });
      const [event] = await bench.hearing(async () => {
        await bench.call("config.set", "title", message);
      });
      expect(JSON.parse(event!.message).value).toBe(message);
    }
  });
});
