import type { Client } from "../../client/client.ts";
import { invalid } from "../../client/times.ts";
import type { Pace } from "./pace.ts";
import {
  type Book,
  bookJid,
  booksOf,
  CUSTOMERS,
  FOLLOWED,
  orderJid,
  orderOf,
  type ShopJobs,
} from "./shop.ts";

/**
 * What the shop needs before its first day. All of it is kept with the jobs, so a later start finds
 * it, with whatever somebody has changed since: it is said once, and again only if that was cut off.
 */

type Shop = Client<ShopJobs>;

/** The setting `application` says whose jobs these are. */
const OPENING = "photo books (opening)";
const OPEN = "photo books";

/** Opens the shop unless it is open; refuses a place where there are jobs of somebody else. */
export async function open(client: Shop, pace: Pace): Promise<"opened" | "found"> {
  const application = await client.config.get("application");
  if (application === OPEN) return "found";
  if (application !== OPENING && (await client.queues()).length > 0) {
    throw invalid(
      `There are other jobs in the namespace ${client.engine.namespace}: ` +
        "give the demonstration a place of its own with --data or --redis",
    );
  }
  await client.config.set("application", OPENING);
  await settings(client, pace);
  await leftovers(client);
  await sorrows(client);
  await schedules(client, pace);
  await client.config.set("application", OPEN);
  return "opened";
}

/** Little is kept, so that the store stays small however long the shop is open. */
async function settings({ config }: Shop, pace: Pace): Promise<void> {
  await config.set("jobs-history-count", 1500);
  await config.set("max-job-history", 40);
  await config.set("max-worker-age", "2m");
  await config.set("stats-history", 14);
  await config.set("grace-period", pace.ms(3));
  // Whoever dies at a press or at the counter is missed soon: without visitors all stands still.
  await config.setQueue("printing", "heartbeat", pace.ms(8));
  await config.setQueue("shop", "heartbeat", pace.ms(8));
  await config.setQueue("printing", "backoff", { kind: "fixed", base: pace.ms(4) });
  await config.setQueue("payments", "backoff", { kind: "exponential", base: pace.ms(3) });
  await config.setQueue("reports", "max-concurrency", 1);
  await config.setQueue("mail", "heartbeat", "30s");
}

/** What was left over yesterday: in every stage something, so that each has its place in the list. */
async function leftovers(client: Shop): Promise<void> {
  const [received, charged, printed] = [991, 992, 993] as const;
  const put = (queue: string, number: number, depends: string[] = []) => {
    const data = orderOf(number);
    const jid = orderJid(number);
    return client.queue(queue).put("order", data, { jid, depends, tags: [data.customer] });
  };
  await put("orders", received);
  await put("payments", charged);
  const order = orderJid(printed);
  const [book] = booksOf(order, orderOf(printed)) as [Book];
  const jid = bookJid(order, 0);
  await client
    .queue("printing")
    .put("book.print", book, { jid, tags: [orderOf(printed).customer] });
  await put("shipping", printed, [jid]);
  const letter = { to: FOLLOWED, about: order };
  await client.queue("mail").put("mail.review", letter, { jid: "review-990", delay: "90s" });
}

/** A job that nobody has written the code for, and a queue that somebody has paused. */
async function sorrows(client: Shop): Promise<void> {
  const says = "The cover has a scratch";
  const options = { jid: "return-7", tags: [FOLLOWED] };
  await client.queue("returns").put("return.inspect", { order: orderJid(812), says }, options);
  const newsletter = client.queue("newsletter");
  for (const to of CUSTOMERS) {
    const letter = { to, about: "Spring issue" };
    await newsletter.put("mail.newsletter", letter, { jid: `newsletter-${to}`, tags: [to] });
  }
  await newsletter.pause({ reason: "until the pictures of the spring issue are there" });
}

/** Visitors and reports come by the calendar; support looks at an interval. */
async function schedules(client: Shop, pace: Pace): Promise<void> {
  const soon = { missed: "skip", overlap: "skip", queue: "shop" } as const;
  await client.schedules.set("visitors", "shop.visitors", {}, { ...soon, cron: "*/2 * * * * *" });
  const reports = { queue: "reports", overlap: "skip" } as const;
  await client.schedules.set("sales", "report.sales", {}, { ...reports, cron: "* * * * *" });
  const night = { ...reports, cron: "30 3 * * *", zone: "Europe/Berlin" };
  await client.schedules.set("night-audit", "report.audit", {}, night);
  const interval = pace.ms(20);
  const options = { queue: "shop", interval, offset: interval, backlog: 1 };
  await client.recurring.set("support", "shop.support", {}, options);
}
