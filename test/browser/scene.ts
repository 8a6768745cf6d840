import type { Client } from "../../src/client/client.ts";
import type { CommandName, Engine } from "../../src/engine.ts";

/** A shop's queues on a bad day: something of everything that the web interface shows. */

type Words = readonly (string | number)[];

/** Calls at moments of the past, in seconds before now. */
export class Past {
  readonly #engine: Engine;
  readonly #now = Date.now();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  call(ago: number, command: CommandName, ...words: Words) {
    return this.#engine.call(command, words, { now: this.#now - Math.round(ago * 1000) });
  }

  put(ago: number, queue: string, jid: string, klass: string, data: unknown, ...words: Words) {
    return this.call(ago, "put", "shop", queue, jid, klass, JSON.stringify(data), 0, ...words);
  }

  /** The jid and the lease of what was handed out. */
  async pop(ago: number, queue: string, worker: string): Promise<[jid: string, lease: string]> {
    const [job] = (await this.call(ago, "pop", queue, worker, 1)) as string[];
    if (job === undefined) throw new Error(`There was nothing in ${queue} ${ago} s ago`);
    const [jid, , , lease] = job.split("\t") as [string, string, string, string];
    return [jid, lease];
  }

  complete(ago: number, jid: string, worker: string, queue: string, ...words: Words) {
    return this.call(ago, "complete", jid, worker, queue, "{}", ...words);
  }
}

const STACK = `SmtpError: 421 mx1.example.com: too many connections from 10.0.4.17
    at Connection.greet (file:///srv/shop/node_modules/smtp/connection.js:214:11)
    at async Mailer.send (file:///srv/shop/src/mailer.ts:88:5)
    at async perform (file:///srv/shop/src/jobs/mail.ts:31:3)`;

const DAY = 86_400;

/** Days before today: waits and runs that the charts show. */
async function days(past: Past, count: number): Promise<void> {
  for (let day = count; day > 0; day--) {
    for (let i = 0; i < 8 + ((day * 5) % 9); i++) {
      const at = day * DAY + 3000 + i * 211;
      const jid = `old-${day}-${i}`;
      await past.put(at, "mail", jid, "mail.send", { n: i });
      await past.pop(at - 2 - ((i * day) % 40), "mail", "mailer-1");
      await past.complete(at - 4 - ((i * day) % 40) - i * 2, jid, "mailer-1", "mail");
    }
  }
}

async function mail(past: Past): Promise<void> {
  for (let i = 0; i < 30; i++) {
    const jid = `done-${i}`;
    await past.put(900 - i * 20, "mail", jid, "mail.send", { to: `user${i}@example.com` });
    await past.pop(898 - i * 20 - (i % 7), "mail", "mailer-1");
    await past.complete(890 - i * 20 - (i % 7), jid, "mailer-1", "mail");
  }
  for (let i = 0; i < 14; i++) {
    const jid = `bounced-${i}`;
    await past.put(
      7000 - i * 300,
      "mail",
      jid,
      "mail.send",
      { to: `a${i}@example.com` },
      "tags",
      '["acme"]',
    );
    const [, lease] = await past.pop(6990 - i * 300, "mail", "mailer-1");
    const group = i % 5 === 4 ? "TemplateMissing" : "SmtpError";
    const message = i % 5 === 4 ? `No template "welcome-${i}"` : STACK;
    await past.call(6985 - i * 300, "fail", jid, "mailer-1", group, message, "{}", "lease", lease);
  }
  await past.put(
    50,
    "mail",
    "welcome-4711",
    "mail.send",
    WELCOME,
    "tags",
    '["acme","eu"]',
    "priority",
    -5,
  );
  for (let i = 0; i < 12; i++) {
    await past.put(
      40 - i,
      "mail",
      `letter-${i}`,
      "mail.send",
      { to: `b${i}@example.com` },
      "tags",
      '["acme"]',
    );
  }
}

const WELCOME = {
  to: "ada@example.com",
  template: "welcome",
  retry: false,
  score: 0.75,
  parts: [
    { kind: "text", body: "Dear Ada,\nwelcome." },
    { kind: "html", body: "<p>Dear Ada</p>" },
  ],
  meta: { locale: "en-GB", campaign: null },
};

async function video(past: Past): Promise<void> {
  await past.put(400, "video", "clip-9", "video.encode", { file: "clip-9.mov" }, "retries", 5);
  await past.pop(390, "video", "encoder-1");
  await past.call(320, "tick");
  await past.call(300, "timeout", "clip-9");
  await past.pop(290, "video", "encoder-2");
  await past.call(200, "retry", "clip-9", "video", "encoder-2");
  await past.pop(40, "video", "encoder-1");
  await past.call(30, "log", "clip-9", "analysed", '{"progress":0.2}');
  await past.call(8, "log", "clip-9", "second pass", '{"progress":0.62}');
  await past.call(5, "heartbeat", "clip-9", "encoder-1");
  await past.call(5, "track", "track", "clip-9");
  await past.put(300, "video", "clip-7", "video.encode", { file: "clip-7.mov" });
  await past.pop(65, "video", "encoder-3");
  await past.put(
    30,
    "video",
    "clip-10",
    "video.encode",
    { file: "clip-10.mov" },
    "source",
    "upload-3",
  );
}

/** A small pipeline: what waits for what. */
async function pipeline(past: Past): Promise<void> {
  await past.put(600, "etl", "extract", "etl.extract", {});
  await past.pop(599, "etl", "loader-1");
  await past.complete(500, "extract", "loader-1", "etl");
  for (const part of ["orders", "users", "stock"]) {
    await past.put(480, "etl", `transform-${part}`, "etl.transform", { part });
  }
  const all = '["transform-orders","transform-users","transform-stock"]';
  await past.put(470, "etl", "load", "etl.load", {}, "depends", all);
  await past.put(470, "etl", "report", "etl.report", {}, "depends", '["load"]');
  await past.put(470, "etl", "notify", "etl.notify", {}, "depends", '["load"]');
  await past.pop(20, "etl", "loader-1");
}

async function otherQueues(past: Past): Promise<void> {
  for (let i = 0; i < 40; i++)
    await past.put(3000 - i * 60, "webhooks", `hook-${i}`, "hook.post", { i });
  for (let i = 0; i < 9; i++)
    await past.put(500 - i, "imports", `import-${i}`, "import.csv", { i });
  for (let i = 0; i < 6; i++)
    await past.put(900 - i, "reports", `report-${i}`, "report.make", { i });
  await past.call(800, "queue.pause", "reports", "reason", "the ledger is migrated");
  await past.call(100, "put", "shop", "mail", "later", "mail.send", "{}", 7200);
  await past.call(100, "recur", "nightly", "tidy", "shop.tidy", "{}", "interval", 3600, 600);
  await past.call(10, "config.set", "video-max-concurrency", 2);
  await past.call(10, "track", "track", "hook-3");
}

const facts = (host: string, pid: number, more: object) =>
  JSON.stringify({
    ...{ host, pid, version: "0.1.0", concurrency: 4, memory: 84, lag: 3, paused: false },
    ...{
      since: new Date(Date.now() - 7_000_000).toISOString(),
      unhandled: [],
      running: 0,
      runs: [],
    },
    ...more,
  });

async function workers(past: Past): Promise<void> {
  const since = new Date(Date.now() - 40_000).toISOString();
  const run = {
    jid: "clip-9",
    klass: "video.encode",
    queue: "video",
    since,
    said: "second pass",
    progress: 0.62,
  };
  const say = (worker: string, told: string, queues: string[], klasses: string[]) =>
    past.call(
      0,
      ...(["worker.present", worker, 600, told] as const),
      ...["queues", JSON.stringify(queues), "klasses", JSON.stringify(klasses)],
    );
  await say("mailer-1", facts("web-1", 4711, {}), ["mail", "imports"], ["mail.send"]);
  const encoder = facts("gpu-1", 812, {
    running: 1,
    runs: [run],
    memory: 611,
    lag: 1800,
    concurrency: 2,
  });
  await say("encoder-1", encoder, ["video"], ["video.encode", "video.thumb"]);
  await say(
    "loader-1",
    facts("db-2", 99, { unhandled: ["etl.audit"] }),
    ["etl"],
    ["etl.extract", "etl.transform"],
  );
}

/** Sets the scene; afterwards everything is as old as it says. */
export async function setScene(client: Client, oldDays = 3): Promise<void> {
  const past = new Past(client.engine);
  await days(past, oldDays);
  await mail(past);
  await video(past);
  await pipeline(past);
  await otherQueues(past);
  await workers(past);
  await client.schedules.set(
    "morning",
    "report.make",
    { of: "sales" },
    {
      cron: "0 9 * * 1-5",
      zone: "Europe/Berlin",
      queue: "reports",
    },
  );
  await client.schedules.set("sweep", "shop.sweep", {}, { cron: "*/15 * * * *", queue: "nightly" });
}
