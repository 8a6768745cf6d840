import { describe, expect, test } from "vitest";
import { connect, openEngine, Worker } from "../../src/index.ts";
import { everyClient } from "./every-client.ts";

/** A message that names the misspelt option, says where, and suggests the one that was meant. */
const meant = (name: string, where: string, instead: string) =>
  `Unknown option "${name}" ${where}. Did you mean "${instead}"?`;

type Anything = never;

everyClient("options that do not exist", (open) => {
  test("are rejected by every call that takes options, and change nothing", async () => {
    const client = await open();
    const queue = client.queue("q");
    const given = (options: object) => options as Anything;
    const calls: [() => unknown, string][] = [
      [() => client.put("k", 1, given({ dellay: "1h" })), meant("dellay", "of put", "delay")],
      [() => queue.put("k", 1, given({ prioriy: 1 })), meant("prioriy", "of put", "priority")],
      [
        () => client.put("k", 1, given({ attempts: 3 })),
        'Unknown option "attempts" of put. Known ',
      ],
      [
        () => client.put("k", 1, { unique: given({ unti: "start" }) }),
        meant("unti", "of unique", "until"),
      ],
      [
        () => client.put("k", 1, { backoff: given({ kind: "fixed", bas: 1 }) }),
        meant("bas", "of a backoff", "base"),
      ],
      [
        () => client.putMany([{ klass: "k", data: 1 }, given({ klass: "k", data: 1, tag: "a" })]),
        meant("tag", "of a job for putMany", "tags"),
      ],
      [
        () => client.schedules.set("s", "k", 1, given({ cron: "* * * * *", zon: "UTC" })),
        meant("zon", "of a schedule", "zone"),
      ],
      [
        () => client.recurring.set("r", "k", 1, given({ interval: "1h", bcklog: 1 })),
        meant("bcklog", "of a recurring job", "backlog"),
      ],
      [() => queue.pop(given({ cont: 5 })), meant("cont", "of pop", "count")],
      [() => queue.pause(given({ raeson: "x" })), meant("raeson", "of a pause", "reason")],
      [() => queue.jobs("waiting", given({ ofset: 1 })), meant("ofset", "of a page", "offset")],
      [() => client.search(given({ stat: "failed" })), meant("stat", "of a search", "state")],
      [
        () => client.search({ queue: "q" }).retry(given({ onProgres: () => {} })),
        meant("onProgres", "of a change of many jobs", "onProgress"),
      ],
      [() => client.get("a", given({ timeut: "1s" })), meant("timeut", "of a call", "timeout")],
      [() => client.waitFor("a", given({ timeut: 1 })), meant("timeut", "of a wait", "timeout")],
      [
        () => client.events.on(given({ queu: "q" }), () => {}),
        meant("queu", "of an event filter", "queue"),
      ],
      [
        () => client.maintenance.check(given({ repiar: true })),
        meant("repiar", "of check", "repair"),
      ],
      [
        () => new Worker(client, given({ queues: "q", concurency: 1 })),
        meant("concurency", "of a worker", "concurrency"),
      ],
      [
        () => new Worker(client, { queues: "q" }).handle("k", () => {}, given({ retrys: 1 })),
        meant("retrys", 'of klass "k"', "retries"),
      ],
      [
        () => new Worker(client, { queues: "q" }).stop(given({ grce: 1 })),
        meant("grce", "of stop", "grace"),
      ],
      [
        () => client.put("k", 1, null as Anything),
        "The options of put must be an object, not null",
      ],
      [
        () => client.put("k", 1, "1h" as Anything),
        "The options of put must be an object, not a string",
      ],
    ];
    for (const [call, sentence] of calls) {
      const error = await Promise.resolve()
        .then(call)
        .catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "BAD_ARGUMENT" });
      expect((error as Error).message).toContain(sentence);
    }
    expect(await queue.length()).toBe(0);
    expect(await client.queue("k").length()).toBe(0);
  });

  test("are rejected by the verbs of a running job, which goes on", async () => {
    const client = await open();
    await client.put("k", 1);
    const [job] = await client.queue("k").pop();
    await expect(job!.complete({ nxt: "q" } as Anything)).rejects.toThrow(
      meant("nxt", "of complete", "next"),
    );
    await expect(job!.retry({ dellay: 1 } as Anything)).rejects.toThrow(
      meant("dellay", "of retry", "delay"),
    );
    expect(await job!.complete()).toBe("complete");
  });

  test("in a handler's context fail the job with the same sentence", async () => {
    const client = await open();
    await client.put("k", 1, { jid: "a", retries: 0 });
    const worker = new Worker(client, { queues: "k" }).handle("k", (_, context) => {
      context.complete({ nxt: "q" } as Anything);
    });
    await worker.drain();
    expect((await client.get("a"))?.failure?.message).toContain(
      meant("nxt", "of complete", "next"),
    );
  });

  test("are not names that every object inherits", async () => {
    const client = await open();
    const options = JSON.parse('{"__proto__": 1}');
    await expect(client.put("k", 1, options)).rejects.toThrow('Unknown option "__proto__" of put.');
    await expect(client.put("k", 1, { constructor: 1 } as Anything)).rejects.toThrow(
      'Unknown option "constructor" of put.',
    );
  });
});

describe("connect", () => {
  test("rejects options that do not exist before it opens anything", async () => {
    await expect(connect("sqlite::memory:", { namespce: "x" } as Anything)).rejects.toThrow(
      meant("namespce", "of connect", "namespace"),
    );
    await expect(openEngine("sqlite::memory:", { timeot: 1 } as Anything)).rejects.toThrow(
      meant("timeot", "of openEngine", "timeout"),
    );
  });
});

everyClient("values that cannot be meant", (open) => {
  test("dates that do not exist are rejected", async () => {
    const client = await open();
    for (const at of ["2030-02-31", "2030-02-30T10:00:00Z", "2030-04-31T00:00", "2031-02-29"]) {
      const day = at.slice(0, 10);
      await expect(client.put("k", 1, { at })).rejects.toThrow(
        `at: the date ${day} does not exist`,
      );
    }
    await expect(client.put("k", 1, { at: "2030-13-01" })).rejects.toThrow(
      "at: the date 2030-13-01",
    );
    expect(await client.put("k", 1, { at: "2032-02-29T10:00:00Z" })).toMatchObject({});
    expect(await client.queue("k").length()).toBe(1);
  });

  test("a negative max-concurrency is rejected", async () => {
    const client = await open();
    await expect(client.config.setQueue("q", "max-concurrency", -1)).rejects.toThrow(
      "q-max-concurrency must not be negative",
    );
  });

  test("seconds in the place of milliseconds are rejected, with the number that was meant", async () => {
    const client = await open();
    const seconds = Math.floor(Date.now() / 1000) + 60;
    const sentence = `Did you mean ${seconds * 1000} (milliseconds)?`;
    await expect(client.put("k", 1, { at: seconds })).rejects.toThrow(sentence);
    await expect(
      client.putMany([
        { klass: "k", data: 1 },
        { klass: "k", data: 2, at: seconds },
      ]),
    ).rejects.toThrow(sentence);
    expect(await client.queue("k").length()).toBe(0);
    await client.put("k", 1, { at: seconds * 1000 });
    await client.put("k", 1, { at: new Date(seconds) });
    expect(await client.queue("k").length()).toBe(2);
  });
});

test("a small number is a moment while the engine's clock stands in 1970", async () => {
  const client = await connect("sqlite::memory:", { clock: () => 1000 });
  await client.put("k", 1, { at: 5000, jid: "a" });
  expect((await client.get("a"))?.state).toBe("scheduled");
  await client.close();
});
