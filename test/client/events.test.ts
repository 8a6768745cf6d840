import { expect, onTestFinished, test, vi } from "vitest";
import { eventsFrom, type QlessEvent } from "../../src/client/event-types.ts";
import { listening } from "../worker/support.ts";
import { everyClient } from "./every-client.ts";

everyClient("events", (open) => {
  test("tell listeners what happens, as they asked", async () => {
    const client = await open();
    const heard: Record<string, QlessEvent[]> = { all: [], done: [], tracked: [], worker: [] };
    await client.events.on({}, (event) => heard.all!.push(event));
    await client.events.on({ event: "completed", queue: "q" }, (event) => heard.done!.push(event));
    await client.events.on({ channel: "tracked" }, (event) => heard.tracked!.push(event));
    await client.events.on({ worker: "w" }, (event) => heard.worker!.push(event));
    const queue = client.queue("q");
    await queue.put("k", 1, { jid: "a" });
    await (await client.get("a"))!.track();
    const [job] = await queue.pop({ worker: "w" });
    await job!.complete();
    await queue.put("k", 1, { jid: "b" });
    await queue.pop({ worker: "w" });
    await client.cancel(["b"]);
    await expect.poll(() => heard.worker!.length).toBe(1);
    const seen = (list: QlessEvent[]) =>
      list.map((event) => `${event.event} ${"jid" in event ? event.jid : ""}`);
    expect(seen(heard.all!)).toEqual(["put a", "completed a", "put b", "canceled b"]);
    expect(seen(heard.done!)).toEqual(["completed a"]);
    expect(seen(heard.tracked!)).toEqual(["track a", "popped a", "completed a"]);
    expect(heard.worker).toEqual([
      { channel: "worker", to: "w", event: "canceled", jid: "b", queue: "q", worker: "w" },
    ]);
  });

  test("come one by one for jobs that are told of together", async () => {
    const client = await open();
    const heard: QlessEvent[] = [];
    await client.events.on({ event: "put" }, (event) => heard.push(event));
    await client.putMany(["a", "b", "c"].map((jid) => ({ klass: "k", data: 1, jid })));
    await expect.poll(() => heard.length).toBe(3);
    expect(heard).toEqual(
      ["a", "b", "c"].map((jid) => ({ channel: "log", event: "put", jid, queue: "k" })),
    );
  });

  test("can be read in a loop, until it is left", async () => {
    const client = await open();
    const stream = client.events.stream({ event: "put" });
    let isHeard = false;
    const first = stream.next().finally(() => {
      isHeard = true;
    });
    await expect
      .poll(async () => {
        await client.put("k", 1, { jid: "a", ifExists: "replace" });
        return isHeard;
      })
      .toBe(true);
    expect((await first).value).toMatchObject({ event: "put", jid: "a" });
    await stream.return();
    expect((await stream.next()).done).toBe(true);
  });

  test("end with a signal", async () => {
    const client = await open();
    const control = new AbortController();
    const read = (async () => {
      const all: QlessEvent[] = [];
      for await (const event of client.events.stream({}, { signal: control.signal })) {
        all.push(event);
      }
      return all;
    })();
    setTimeout(() => control.abort(), 30);
    expect(Array.isArray(await read)).toBe(true);
  });

  test("stop for a listener that leaves", async () => {
    const client = await open();
    const heard: QlessEvent[] = [];
    const off = await client.events.on({}, (event) => heard.push(event));
    await client.put("k", 1);
    await expect.poll(() => heard.length).toBe(1);
    await off();
    await client.put("k", 1);
    const again: QlessEvent[] = [];
    await client.events.on({}, (event) => again.push(event));
    await client.put("k", 1);
    await expect.poll(() => again.length).toBe(1);
    expect(heard).toHaveLength(1);
  });

  test.each([
    [
      "throws",
      () => {
        throw new Error("mine");
      },
    ],
    ["rejects", () => Promise.reject(new Error("mine"))],
  ])("reach the other listeners when one %s, and the error is logged", async (_, listener) => {
    const { logger, told } = listening();
    const client = await open({ logger });
    await client.events.on({ event: "put" }, listener);
    const heard: QlessEvent[] = [];
    await client.events.on({ event: "put" }, (event) => heard.push(event));
    await client.put("k", 1);
    await client.put("k", 1);
    await expect.poll(() => heard.length).toBe(2);
    await expect
      .poll(() => told.error)
      .toEqual(Array(2).fill("A listener of the client's events threw an error"));
  });

  test("print the error of a listener where there is no logger", async () => {
    const client = await open();
    const printed = vi.spyOn(console, "error").mockImplementation(() => {});
    onTestFinished(() => printed.mockRestore());
    const error = new Error("mine");
    await client.events.on({}, () => {
      throw error;
    });
    await client.put("k", 1);
    await expect
      .poll(() => printed.mock.calls)
      .toEqual([["qless: A listener of the client's events threw an error", error]]);
  });
});

test.each(["", "x", "null", "[]", '{"jids":1}', '"text"'])(
  "Text that is no event is ignored: %s",
  (message) => {
    for (const channel of ["log", "w:me"]) {
      expect(() => eventsFrom({ channel, message })).not.toThrow();
    }
  },
);
