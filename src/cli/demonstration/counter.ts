import type { JobContext } from "../../worker/context.ts";
import type { Handlers } from "../../worker/handlers.ts";
import {
  EXPRESS,
  FOLLOWED,
  isExpress,
  lot,
  MENDED,
  orderJid,
  orderOf,
  type ShopJobs,
} from "./shop.ts";

/** What goes on at the counter: people come and order, and support looks after what failed. */

type Context = JobContext<ShopJobs>;

/** The first visitors, who wait at the door, bring so many orders. */
const RUSH = 24;
const FIRST = 1000;
/** A visit brings so many orders at most, and so a number stands for one order. */
const MOST = 4;
/** Visits from one rush hour to the next. */
const WAVE = 50;
/** With so many jobs under way nobody is let in: somebody has paused a queue, or all is slow. */
const FULL = 400;
/** Jobs of a group of failures that are left for people to look at. */
const SHOWN = 4;
const FOLLOWED_AT_ONCE = 4;

export const counter: Handlers<ShopJobs> = {
  "shop.visitors": async (_, context) => {
    const { runs = 0 } = (await context.client.schedules.get("visitors")) ?? {};
    if (runs > 1 && (await isFull(context))) return { orders: [] };
    const orders = numbersOf(runs);
    for (const number of orders) await order(context, number);
    return { orders };
  },

  "shop.support": async (_, context) => {
    let mended = 0;
    for (const group of (await context.client.failures.groups()).keys()) {
      const { jids } = await context.client.failures.jobs(group, { offset: SHOWN });
      for (const jid of jids) await mend(context, jid);
      mended += jids.length;
    }
    return { mended };
  },
};

/** The orders of a visit: many at some hours, few at others. */
export function numbersOf(visit: number): number[] {
  if (visit <= 1) return Array.from({ length: RUSH }, (_, i) => FIRST + i);
  const tide = 0.62 + 0.55 * Math.sin((2 * Math.PI * visit) / WAVE);
  const count = Math.floor(tide + lot("visit", visit));
  const first = FIRST + RUSH + visit * MOST;
  return Array.from({ length: Math.max(count, 0) }, (_, i) => first + i);
}

async function isFull({ client }: Context): Promise<boolean> {
  const queues = await client.queues();
  const under = queues.map(({ waiting, running, stalled, scheduled, depends }) =>
    [waiting, running, stalled, scheduled, depends].reduce((sum, count) => sum + count, 0),
  );
  return under.reduce((sum, count) => sum + count, 0) >= FULL;
}

async function order(context: Context, number: number): Promise<void> {
  const { client } = context;
  const jid = orderJid(number);
  const data = orderOf(number);
  const isSoon = isExpress(number);
  const { outcome } = await client.queue("orders").put("order", data, {
    jid,
    priority: isSoon ? -10 : 0,
    tags: isSoon ? [data.customer, EXPRESS] : [data.customer],
    source: lot("source", number) < 0.7 ? "web" : "app",
    retries: 3,
  });
  // A visit that runs a second time meets the orders of the first.
  if (outcome === "created" && data.customer === FOLLOWED) await follow(context, jid);
}

/** Follows an order, and some that went before, the done ones not for ever. */
async function follow({ client }: Context, jid: string): Promise<void> {
  const { jobs, expired } = await client.tracked();
  const ours = jobs.filter(({ klass, tags }) => klass === "order" && tags.includes(FOLLOWED));
  const done = ours.filter(({ state }) => state === "complete");
  const excess = ours.length + 1 - FOLLOWED_AT_ONCE;
  for (const job of done.slice(0, Math.max(excess, 0))) await job.untrack();
  for (const gone of expired) await client.engine.call("track", ["untrack", gone]);
  if (excess <= done.length) await (await client.get(jid))?.track();
}

/** Has a failed job tried again, with what was wrong put right. */
async function mend({ client }: Context, jid: string): Promise<void> {
  const job = await client.get(jid);
  if (job?.state !== "failed") return;
  await job.tag(MENDED);
  await job.retry();
}
