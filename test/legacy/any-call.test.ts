import fc from "fast-check";
import { expect, test } from "vitest";
import { useLegacy } from "./client.ts";

/**
 * Calls of all kinds in any order, most of them sensible, some not: the script refuses in sentences
 * of its own, never stumbles, and what it keeps agrees with itself at the end.
 */

const legacy = useLegacy();

const jid = fc.constantFrom("a", "b", "c", "d", "r-1", "r-2");
const queue = fc.constantFrom("q", "p");
const worker = fc.constantFrom("w", "x");
const data = fc.constantFrom("{}", "[]", '{"n":1}', "null");
const tags = fc.constantFrom("[]", '["x"]', '["x","y"]', "[1]");
const list = fc.constantFrom("[]", '["a"]', '["b","c"]', '["missing"]');
const seconds = fc.constantFrom("0", "5", "0.5", "-1", "70");
const count = fc.constantFrom("0", "1", "2", "10", "-1");
const odd = fc.constantFrom("", "foo", "nan", "[}", "-5", "1e400", "é", "a b");

const maybe = (...words: fc.Arbitrary<string>[]) =>
  fc.oneof(fc.constant<string[]>([]), fc.tuple(...words));
const option = (name: string, value: fc.Arbitrary<string>) => maybe(fc.constant(name), value);

function words(...parts: fc.Arbitrary<string | string[]>[]): fc.Arbitrary<string[]> {
  return fc.tuple(...parts).map((all) => all.flat());
}

const settings = fc.constantFrom("heartbeat", "grace-period", "q-heartbeat", "q-max-concurrency");

const CALLS: { [command: string]: fc.Arbitrary<string[]> } = {
  put: words(
    ...[worker, queue, jid, fc.constant("klass"), data, seconds],
    ...[option("priority", count), option("tags", tags), option("retries", count)],
    option("depends", list),
  ),
  requeue: words(worker, queue, jid, fc.constant("klass"), data, seconds, option("tags", tags)),
  pop: words(queue, worker, count),
  peek: words(queue, count),
  heartbeat: words(jid, worker, maybe(data)),
  complete: words(
    ...[jid, worker, queue, data, option("next", queue)],
    ...[option("delay", seconds), option("depends", list)],
  ),
  fail: words(jid, worker, fc.constant("group"), fc.constant("message"), maybe(data)),
  retry: words(jid, queue, worker, maybe(seconds), maybe(fc.constant("group"), fc.constant("why"))),
  timeout: words(jid),
  get: words(jid),
  multiget: words(jid, jid),
  depends: words(jid, fc.constantFrom("on", "off"), fc.oneof(jid, fc.constant("all"))),
  priority: words(jid, count),
  log: words(jid, fc.constant("message"), maybe(data)),
  cancel: words(jid, maybe(jid, jid)),
  track: words(maybe(fc.constantFrom("track", "untrack"), jid)),
  tag: words(fc.constantFrom("add", "remove", "get", "top"), maybe(jid, fc.constantFrom("x", "y"))),
  jobs: words(
    fc.constantFrom("complete", "running", "stalled", "scheduled", "depends", "recurring"),
    maybe(queue),
  ),
  failed: words(maybe(fc.constant("group"))),
  unfail: words(queue, fc.constant("group"), maybe(count)),
  queues: words(maybe(queue)),
  length: words(queue),
  pause: words(queue),
  unpause: words(queue),
  "queue.forget": words(queue),
  workers: words(maybe(worker)),
  "worker.deregister": words(worker),
  stats: words(queue, seconds),
  "config.get": words(maybe(settings)),
  "config.set": words(settings, seconds),
  "config.unset": words(settings),
  recur: words(
    ...[queue, fc.constant("r"), fc.constant("klass"), data, fc.constant("interval"), seconds],
    ...[seconds, option("backlog", count), option("tags", tags)],
  ),
  unrecur: words(fc.constant("r")),
  "recur.get": words(fc.constant("r")),
  "recur.update": words(fc.constant("r"), option("interval", seconds), option("queue", queue)),
  "recur.tag": words(fc.constant("r"), fc.constantFrom("x", "y")),
  "recur.untag": words(fc.constant("r"), fc.constantFrom("x", "y")),
};

/** A call with, now and then, a word too few or a word that fits nowhere. */
const call = fc
  .constantFrom(...Object.keys(CALLS))
  .chain((command) =>
    fc.tuple(fc.constant(command), CALLS[command]!, fc.nat(12), odd, fc.nat({ max: 40 })),
  )
  .map(([command, args, slip, wrong, pause]) => {
    if (slip === 11) return { command, args: args.slice(0, -1), pause };
    if (slip === 12) return { command, args: [...args.slice(0, pause % 6), wrong], pause };
    return { command, args, pause };
  });

const SENTENCE = /^ERR user_script:1: [\w.]+\(\): /;
const STUMBLE = /attempt to|bad argument|nil value|\buser_script:.*user_script:|WRONGTYPE|Lua/;

test("no sequence of calls makes the script stumble", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 10, maxLength: 60 }), async (calls) => {
      await legacy.redis.flushall();
      let now = 0;
      for (const { command, args, pause } of calls) {
        now += pause;
        const error = await legacy.call(command, now, ...args).then(
          () => undefined,
          (thrown: Error) => thrown.message,
        );
        if (error === undefined) continue;
        expect(error, `${command} ${args.join(" ")}`).toMatch(SENTENCE);
        expect(error, `${command} ${args.join(" ")}`).not.toMatch(STUMBLE);
      }
      expect(await legacy.problems()).toEqual([]);
    }),
    { numRuns: 150 },
  );
}, 120_000);
