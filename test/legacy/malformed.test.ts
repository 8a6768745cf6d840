import { beforeEach, describe, expect, test } from "vitest";
import { useLegacy } from "./client.ts";

const legacy = useLegacy();

const PUT = ["w", "q", "a", "klass", "{}", 0];

/** Calls that are refused, by command; what they would have touched must stay as it is. */
const MALFORMED: { [command: string]: (string | number)[][] } = {
  get: [[]],
  put: [
    [],
    ["w"],
    ["w", "q"],
    ["w", "q", "a"],
    ["w", "q", "a", "klass"],
    ["w", "q", "a", "klass", "{}"],
    ["w", "q", "a", "klass", "{]", 0],
    ["w", "q", "a", "klass", "", 0],
    ["w", "q", "a", "klass", "nonsense", 0],
    ["w", "q", "a", "klass", "{}", "number"],
    ["w", "q", "a", "klass", "{}", "nan"],
    ["w", "q", "a", "klass", "{}", "inf"],
    ["w", "q", "a", "klass", "{}", "0x10"],
    [...PUT, "retries"],
    [...PUT, "retries", "foo"],
    [...PUT, "retries", 1.5],
    [...PUT, "tags"],
    [...PUT, "tags", "{]"],
    [...PUT, "tags", "7"],
    [...PUT, "tags", '"x"'],
    [...PUT, "priority"],
    [...PUT, "priority", "foo"],
    [...PUT, "priority", "inf"],
    [...PUT, "depends"],
    [...PUT, "depends", "{]"],
    [...PUT, "depends", "7"],
    [...PUT, "nonsense", 1],
    [...PUT, "tags", '["y"]', "priority", "foo"],
  ],
  requeue: [[], ["w"], ["w", "q", "a", "klass", "{}"], [...PUT, "priority", "foo"]],
  pop: [
    [],
    ["q"],
    ["q", "w"],
    ["q", "w", "number"],
    ["q", "w", 1.5],
    ["q", "w", "nan"],
    ["q", "w", -1],
  ],
  peek: [[], ["q"], ["q", "number"], ["q", -1], ["q", 0.5]],
  heartbeat: [[], ["r"], ["r", "w", "[}"]],
  complete: [
    [],
    ["r"],
    ["r", "w"],
    ["r", "w", "p"],
    ["r", "w", "p", "[}"],
    ["r", "w", "p", "{}", "next"],
    ["r", "w", "p", "{}", "delay", "foo"],
    ["r", "w", "p", "{}", "next", "q", "delay", "foo"],
  ],
  fail: [[], ["r"], ["r", "w"], ["r", "w", "group"], ["r", "w", "group", "message", "[}"]],
  retry: [[], ["r"], ["r", "p"], ["r", "p", "w", "foo"]],
  depends: [[], ["a"], ["a", "foo", "b"]],
  priority: [[], ["a"], ["a", "foo"], ["a", "nan"]],
  timeout: [["missing"], ["r", "missing"], ["a"]],
  log: [[], ["a"], ["a", "message", "[}"]],
  track: [["track"], ["untrack"], ["foo"], ["foo", "a"]],
  tag: [[], ["foo"], ["add"], ["remove"], ["get"], ["get", "x", "foo"], ["top", "foo"]],
  jobs: [[], ["running"], ["foo", "q"], ["complete", "foo"], ["running", "q", 0, "foo"]],
  failed: [
    ["group", "foo"],
    ["group", 0, "foo"],
  ],
  unfail: [[], ["q"], ["q", "group", "foo"]],
  length: [[]],
  stats: [[], ["q"], ["q", "foo"]],
  "config.set": [[], ["option"]],
  "config.unset": [[]],
  unrecur: [[]],
  "recur.get": [[]],
  "recur.update": [[], ["missing", "priority", 1]],
  "recur.tag": [[], ["missing", "x"]],
  "recur.untag": [[], ["missing", "x"]],
};

describe.each(Object.keys(MALFORMED))("%s", (command) => {
  beforeEach(async () => {
    await legacy.put(0, "q", "a", "tags", '["x"]', "priority", 3);
    await legacy.put(0, "p", "r");
    await legacy.pop(0, "p", "w");
  });

  test.each(MALFORMED[command]!.map((args) => ({ args })))(
    "is refused with $args and changes nothing",
    async ({ args }) => {
      await legacy.refusedWhole(() => legacy.call(command, 1000, ...args), /\w\(\): /);
    },
  );
});

test("no refused put costs a job its tags", async () => {
  await legacy.put(0, "q", "a", "tags", '["x"]');
  await legacy.refused(legacy.put(0, "q", "a", "retries", "foo"), /^Put\(\): Arg "retries"/);
  expect((await legacy.job(0, "a")).tags).toEqual(["x"]);
  expect(await legacy.json("tag", 0, "get", "x")).toEqual({ total: 1, jobs: ["a"] });
});

test("an index that names a job there is not neither stops a pop nor makes one up", async () => {
  await legacy.put(0, "q", "a");
  await legacy.put(0, "q", "b");
  await legacy.schedule(0, "q", "c", 1);
  await legacy.redis.del("ql:j:a", "ql:j:c");
  await legacy.popped(10, "q", "w", ["b"]);
  expect(await legacy.call("get", 10, "c")).toBeNull();
  await legacy.redis.del("ql:j:b");
  await legacy.popped(100, "q", "w", []);
  await legacy.popped(200, "q", "w", []);
  await legacy.redis.flushall();
});
