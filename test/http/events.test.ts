import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { EventHub } from "../../src/http/events.ts";
import { Stream } from "../../src/http/stream.ts";
import { type Bench, everyServer } from "./support.ts";

interface Told {
  id?: string;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a test expects of an event is in its assertion.
  data: any;
}

/** Follows events as a program would, until the test is over. */
class Follower {
  readonly told: Told[] = [];
  text = "";
  isOver = false;
  readonly #stop = new AbortController();

  static async open(bench: Bench, query = "", headers: Record<string, string> = {}) {
    const follower = new Follower();
    onTestFinished(() => follower.close());
    const { signal } = follower.#stop;
    const response = await fetch(`${bench.url}/api/v1/events${query}`, { signal, headers });
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    void follower.#read(response);
    await expect.poll(() => follower.text).toContain("retry:");
    return follower;
  }

  get events(): string[] {
    return this.told.map(({ event }) => event);
  }

  get lastId(): string {
    return this.told.at(-1)!.id!;
  }

  close(): void {
    this.#stop.abort();
  }

  async #read(response: Response): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    try {
      for await (const piece of response.body!) {
        this.text += decoder.decode(piece, { stream: true });
        rest += decoder.decode(piece, { stream: true });
        const blocks = rest.split("\n\n");
        rest = blocks.pop()!;
        for (const block of blocks) this.#hear(block);
      }
    } catch {
      // Closed by the test.
    }
    this.isOver = true;
  }

  #hear(block: string): void {
    const lines = new Map(
      block.split("\n").map((line) => line.split(/: (.*)/, 2) as [string, string]),
    );
    const event = lines.get("event");
    if (event === undefined) return;
    const id = lines.get("id");
    this.told.push({
      event,
      data: JSON.parse(lines.get("data")!),
      ...(id !== undefined && { id }),
    });
  }
}

everyServer("events over HTTP", (open) => {
  test("are sent as they happen", async () => {
    const bench = await open();
    const follower = await Follower.open(bench);
    await bench.client.put("q", 1, { jid: "a" });
    const [job] = await bench.client.queue("q").pop();
    await job!.complete();
    await expect.poll(() => follower.events).toEqual(["put", "completed"]);
    expect(follower.told[0]!.data).toEqual({ channel: "log", event: "put", jid: "a", queue: "q" });
  });

  test("are those that were asked for, by queue, job, worker or kind", async () => {
    const bench = await open();
    const byQueue = await Follower.open(bench, "?queue=a");
    const byJid = await Follower.open(bench, "?jid=2");
    const byWorker = await Follower.open(bench, "?worker=w");
    const byKind = await Follower.open(bench, "?kind=completed,failed");
    const byProgress = await Follower.open(bench, "?kind=progress&jid=2");
    await bench.client.put("a", 1, { jid: "1" });
    await bench.client.put("b", 1, { jid: "2" });
    const jobs = await bench.client.pop(["a", "b"], { worker: "w", count: 2 });
    for (const job of jobs) await job.checkin("half of it", 0.5);
    await jobs[0]!.complete();
    await jobs[1]!.fail("g", "m");
    await expect
      .poll(() => byProgress.told.map(({ data }) => data))
      .toEqual([
        {
          channel: "log",
          event: "progress",
          jid: "2",
          queue: "b",
          worker: "w",
          message: "half of it",
          progress: 0.5,
        },
      ]);
    await expect.poll(() => byQueue.events).toEqual(["put", "progress", "completed"]);
    await expect.poll(() => byJid.events).toEqual(["put", "progress", "failed"]);
    await expect.poll(() => byWorker.events).toEqual(["progress", "progress", "failed"]);
    await expect.poll(() => byKind.events).toEqual(["completed", "failed"]);
    expect((await bench.get("/api/v1/events?channel=x")).status).toBe(400);
  });

  test("go on where a reader was cut off", async () => {
    const bench = await open();
    const first = await Follower.open(bench);
    await bench.client.put("q", 1, { jid: "a" });
    await expect.poll(() => first.events).toEqual(["put"]);
    first.close();
    await bench.client.put("q", 2, { jid: "b" });
    await bench.client.put("q", 3, { jid: "c" });
    const again = await Follower.open(bench, "", { "last-event-id": first.lastId });
    await expect.poll(() => again.told.map(({ data }) => data.jid)).toEqual(["b", "c"]);
  });

  test("say that some were missed where that is not known any more", async () => {
    const bench = await open();
    for (const id of ["nonsense", "0123456789ab-17", `${"9".repeat(300)}-1`]) {
      const follower = await Follower.open(bench, "", { "last-event-id": id });
      await expect.poll(() => follower.events).toEqual(["missed"]);
    }
  });

  test("tell what operators do and how far it has come", async () => {
    const bench = await open();
    await bench.client.queue("q").putMany([
      { klass: "k", data: 1 },
      { klass: "k", data: 2 },
    ]);
    const follower = await Follower.open(bench, "?kind=audit,bulk");
    await bench.post("/api/v1/bulk", { action: "cancel", filter: { queue: "q" }, wait: 10 });
    const last = (kind: string) => follower.told.findLast(({ event }) => event === kind)?.data;
    await expect.poll(() => last("bulk")).toMatchObject({ state: "done", done: 2 });
    // It comes by way of the engine, and so perhaps a little later.
    const audit = { action: "bulk cancel", by: "anonymous", count: 2 };
    await expect.poll(() => last("audit")).toMatchObject(audit);
  });

  test("are for so many readers at a time", async () => {
    const bench = await open({ maxStreams: 1 });
    const follower = await Follower.open(bench);
    const refused = await bench.get("/api/v1/events");
    expect(refused).toMatchObject({ status: 503, body: { error: { code: "TOO_MANY_STREAMS" } } });
    expect(refused.headers.get("retry-after")).toBe("10");
    follower.close();
    await expect
      .poll(async () => (await bench.get("/metrics")).text)
      .toContain("qless_http_streams 0");
    await Follower.open(bench);
  });

  test("end when the server stops", async () => {
    const bench = await open();
    const follower = await Follower.open(bench);
    const begun = performance.now();
    await bench.served.stop();
    await expect.poll(() => follower.isOver).toBe(true);
    expect(performance.now() - begun).toBeLessThan(900);
  });

  test("cost no memory for a reader that reads nothing, who is told what it missed", async () => {
    const bench = await open();
    const slow = await stuck(bench);
    const begun = process.memoryUsage();
    // More than the kernel holds for a connection, and than is kept.
    for (let round = 0; round < 40; round++) {
      const jobs = Array.from({ length: 1000 }, (_, n) => ({ klass: "k", data: n }));
      await bench.client.queue("q".repeat(255)).putMany(jobs);
    }
    const after = process.memoryUsage();
    expect(after.external + after.arrayBuffers - begun.external - begun.arrayBuffers).toBeLessThan(
      64e6,
    );
    slow.resume();
    let isTold = false;
    let before = "";
    slow.setEncoding("utf8").on("data", (piece: string) => {
      const seen = before + piece;
      isTold ||= seen.includes("event: missed");
      before = seen.slice(-20);
    });
    await expect.poll(() => isTold, { timeout: 10_000 }).toBe(true);
    slow.destroy();
  });
});

/** A reader that asks for events and takes nothing. */
async function stuck(bench: Bench): Promise<Socket> {
  const socket = connect(bench.port, "127.0.0.1");
  socket.write("GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  await new Promise((resolve) => socket.once("data", resolve));
  socket.pause();
  onTestFinished(() => void socket.destroy());
  return socket;
}

test("what is kept of events is bounded, and so is what one reader is sent", async () => {
  const hub = new EventHub({ on: async () => async () => {} } as never);
  const written: string[] = [];
  let room = 3;
  const handlers: Record<string, () => void> = {};
  const response = {
    writeHead: () => {},
    write: (text: string) => written.push(text) < room,
    on: (name: string, handler: () => void) => {
      handlers[name] = handler;
    },
    end: () => {},
    destroy: () => {},
  };
  const stream = new Stream(hub, response as never, {});
  await stream.start(undefined, {}, () => {});
  for (let i = 0; i < 25_000; i++)
    hub.say({ channel: "log", event: "put", jid: String(i), queue: "q" });
  expect(written).toHaveLength(3);
  expect(hub.next - hub.first).toBeLessThanOrEqual(10_000);
  room = Number.POSITIVE_INFINITY;
  handlers.drain!();
  expect(written[3]).toContain("event: missed");
  expect(written.length).toBeLessThanOrEqual(10_004);
  expect(written.at(-1)).toContain('"jid":"24999"');
  for (let i = 0; i < 20; i++) {
    hub.say({
      channel: "log",
      event: "failed",
      jid: "j",
      worker: "w",
      group: "g",
      message: "x".repeat(1e6),
    });
  }
  expect(written.at(-1)!.length).toBeLessThan(3000);
  stream.end();
  await hub.close();
});
