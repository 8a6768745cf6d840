import { expect, test } from "vitest";
import { everyEngine } from "../engines.ts";
import {
  type BadCall,
  badCalls,
  bring,
  refusedInVain,
  refusesEach,
  type Words,
} from "./behaviour.ts";

const GOOD: Words = ["w", "q", "a", "klass", "{}", 0];

const POSITIONAL = badCalls(GOOD, [
  ["worker", "name"],
  ["queue", "name"],
  ["jid", "name"],
  ["klass", "name"],
  ["data", "anything"],
  ["delay", "number"],
]);

const BACKOFF =
  'Arg "backoff" must be "fixed 30", "linear 30 cap 600" or ' +
  '"exponential 5 cap 3600 jitter 0.2", in seconds';

const OPTIONS: BadCall[] = [
  ["an option without value", ["priority"], /^Odd number of additional args/],
  ["a second option without value", ["priority", 1, "tags"], /^Odd number of additional args/],
  [
    "an unknown option",
    ["prority", 1],
    /^Unknown option prority: it takes exists, protect, priority, /,
  ],
  ["an option in capitals", ["Priority", 1], /^Unknown option Priority/],
  ["an option with a line break", ["a\nb", 1], /^Unknown option "a\\nb"/],
  ["an option without name", ["", 1], /^Unknown option : /],
  ["a good option before a bad one", ["tags", '["z"]', "x", 1], /^Unknown option x/],
  ["priority high", ["priority", "high"], 'Arg "priority" not a number: high'],
  ["priority empty", ["priority", ""], 'Arg "priority" not a number: '],
  ["priority nan", ["priority", "nan"], 'Arg "priority" not a number: nan'],
  ["priority inf", ["priority", "-inf"], 'Arg "priority" not a number: -inf'],
  ["priority hexadecimal", ["priority", "0x10"], 'Arg "priority" not a number: 0x10'],
  ["priority too high", ["priority", 1e9 + 1], /^Arg "priority" must be from -1000000000 to 1/],
  ["priority too low", ["priority", -1e9 - 1], /^Arg "priority" must be from -1000000000 to 1/],
  ["retries half", ["retries", "1.5"], 'Arg "retries" not a whole number: 1.5'],
  ["retries negative", ["retries", -1], 'Arg "retries" must not be negative: -1'],
  ["retries too many", ["retries", 1e13 + 1], /^Arg "retries" must be from /],
  ["retries a word", ["retries", "many"], 'Arg "retries" not a number: many'],
  ["tags a word", ["tags", "x"], 'Arg "tags" not JSON array of texts: x'],
  ["tags an object", ["tags", '{"a":1}'], 'Arg "tags" not JSON array of texts: {"a":1}'],
  ["tags an empty object", ["tags", "{}"], 'Arg "tags" not JSON array of texts: {}'],
  ["tags null", ["tags", "null"], 'Arg "tags" not JSON array of texts: null'],
  ["tags false", ["tags", "false"], 'Arg "tags" not JSON array of texts: false'],
  ["tags cut short", ["tags", '["x"'], 'Arg "tags" not JSON array of texts: ["x"'],
  ["tags with a comma too many", ["tags", '["x",]'], /^Arg "tags" not JSON array of texts/],
  ["tags followed by more", ["tags", '["x"] y'], /^Arg "tags" not JSON array of texts/],
  ["tags with a number", ["tags", '["x",1]'], /^Arg "tags" not JSON array of texts/],
  ["tags with null", ["tags", '["x",null,"y"]'], /^Arg "tags" not JSON array of texts/],
  ["tags with a list", ["tags", '["x",["y"]]'], /^Arg "tags" not JSON array of texts/],
  ["tags with half a surrogate pair", ["tags", '["\\ud800"]'], /^Arg "tags" not JSON array/],
  ["tags with an empty one", ["tags", '["x",""]'], /^Arg "tags" must be 1 to 255 bytes/],
  ["tags with a line break", ["tags", '["a\\nb"]'], /^Arg "tags" must be 1 to 255 bytes/],
  ["a tag too long", ["tags", JSON.stringify(["x".repeat(256)])], /^Arg "tags" must be 1 to/],
  ["depends a word", ["depends", "x"], 'Arg "depends" not JSON array of texts: x'],
  ["depends with a number", ["depends", "[1]"], 'Arg "depends" not JSON array of texts: [1]'],
  ["depends with an empty jid", ["depends", '[""]'], /^Arg "depends" must be 1 to 255 bytes/],
  ["source empty", ["source", ""], /^Arg "source" must be 1 to 255 bytes/],
  ["source with a tab", ["source", "a\tb"], /^Arg "source" must be 1 to 255 bytes/],
  ["cutoff a word", ["cutoff", "late"], 'Arg "cutoff" not a number: late'],
  ["cutoff too late", ["cutoff", 1e9 + 1], /^Arg "cutoff" must be from /],
  ["backoff unknown", ["backoff", "random 5"], BACKOFF],
  ["backoff empty", ["backoff", ""], BACKOFF],
  ["backoff without seconds", ["backoff", "fixed"], BACKOFF],
  ["backoff without number", ["backoff", "fixed soon"], BACKOFF],
  ["backoff negative", ["backoff", "fixed -1"], BACKOFF],
  ["backoff with an unknown word", ["backoff", "fixed 1 top 5"], BACKOFF],
  ["backoff with a cap without number", ["backoff", "linear 1 cap"], BACKOFF],
  ["backoff with too much jitter", ["backoff", "linear 1 jitter 1.1"], BACKOFF],
  ["backoff with more than there is", ["backoff", "fixed 1 cap 2 jitter 0 cap 3"], BACKOFF],
];

everyEngine("put", (open) => {
  test("refuses arguments that cannot be, and changes nothing", async () => {
    const bench = await open();
    await bring(bench, "waiting", "b");
    await refusesEach(bench, "put", POSITIONAL);
  });

  test("refuses a delay of more than thirty years, either way", async () => {
    const bench = await open();
    const reason = 'Arg "delay" must be from -1000000000 to 1000000000';
    const delays = [1e9 + 1, -1e9 - 1, 1e300];
    const put = (delay: number): Words => [...GOOD.slice(0, -1), delay];
    await refusesEach(
      bench,
      "put",
      delays.map((delay) => [`delay ${delay}`, put(delay), reason]),
    );
  });

  test("refuses options that cannot be, and leaves the job its tags and its lock", async () => {
    const bench = await open();
    await bench.put("q", "a", { tags: ["x", "y"], source: "s" });
    await bench.pop("q", "w");
    const calls = OPTIONS.map(
      ([title, words, reason]): BadCall => [title, [...GOOD, ...words], reason],
    );
    await refusesEach(bench, "put", calls);
    expect(await bench.json("tag", "get", "x")).toEqual({ total: 1, jobs: ["a"] });
    expect(await bench.json("get", "a")).toMatchObject({ state: "running", tags: ["x", "y"] });
  });

  test("announces nothing when it refuses", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.call("track", "track", "a");
    const heard = await bench.hearing(async () => {
      const put = bench.put("q", "a", { depends: ["a"], tags: ["x"] });
      await expect(put).rejects.toMatchObject({ code: "CYCLE" });
    });
    expect(heard).toEqual([]);
  });

  test("takes ten thousand tags, and refuses one more", async () => {
    const bench = await open();
    const tags = Array.from({ length: 10_000 }, (_, i) => `t${i}`);
    await bench.put("q", "a", { tags });
    expect((await bench.json("get", "a")).tags).toEqual(tags);
    const more: Words = ["tags", JSON.stringify([...tags, "more"])];
    const reason = 'Arg "tags" has more than 10000 members';
    await refusedInVain(bench, ["put", ...GOOD, ...more], "BAD_ARGUMENT", reason);
    await bench.call("cancel", "a");
  });

  test("refuses a request id that is no name", async () => {
    const bench = await open();
    for (const id of ["", "a\nb", "x".repeat(256)]) {
      const put = bench.request(id, "put", ...GOOD);
      await expect(put).rejects.toMatchObject({ code: "BAD_ARGUMENT" });
      expect(await bench.json("get", "a")).toBeNull();
    }
  });
});
