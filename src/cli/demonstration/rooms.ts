import type { JobContext } from "../../worker/context.ts";
import type { Handler, Handlers, KlassOptions } from "../../worker/handlers.ts";
import { counter } from "./counter.ts";
import type { Pace } from "./pace.ts";
import { bookJid, booksOf, EXPRESS, lot, MENDED, numberOf, type ShopJobs } from "./shop.ts";

/** What each kind of worker does with the jobs of its queues. */

export interface Room {
  queues: readonly string[];
  concurrency: number;
  handlers: Handlers<ShopJobs>;
  options?: { [klass: string]: KlassOptions<ShopJobs> };
}

export const ROOMS = ["office", "press", "porter"] as const;
export type RoomName = (typeof ROOMS)[number];

export const roomOf = (name: RoomName, pace: Pace): Room => ({ office, press, porter })[name](pace);

class GatewayTimeout extends Error {
  override name = "GatewayTimeout";
}

class PaperJam extends Error {
  override name = "PaperJam";
}

const isFirstTry = ({ remaining, retries }: { remaining: number; retries: number }) =>
  remaining === retries;

function office(pace: Pace): Room {
  const order: Handler<ShopJobs, "order"> = (job, context) =>
    job.queue === "orders" ? receive(pace)(job, context) : charge(pace)(job, context);
  const write = async (_: unknown, { signal }: JobContext<ShopJobs>) => pace.work(0.4, signal);
  return {
    queues: ["shop", "orders", "payments", "mail", "newsletter", "reports"],
    concurrency: 6,
    handlers: {
      ...counter,
      order,
      "mail.confirmation": write,
      "mail.review": write,
      "mail.newsletter": write,
      "report.sales": (_, context) => report(pace, context, 25),
      "report.audit": (_, context) => report(pace, context, 90),
    },
  };
}

const receive =
  (pace: Pace): Handler<ShopJobs, "order"> =>
  async (job, context) => {
    await pace.work(0.3 + lot("receive", numberOf(job.jid)), context.signal);
    const letter = { to: job.data.customer, about: job.jid };
    const jid = `confirmation-${numberOf(job.jid)}`;
    const options = { jid, priority: -1, tags: [job.data.customer] };
    await context.client.queue("mail").put("mail.confirmation", letter, options);
    context.complete({ next: "payments" });
  };

const charge =
  (pace: Pace): Handler<ShopJobs, "order"> =>
  async (job, context) => {
    const { customer, total, card } = job.data;
    const isMended = job.tags.includes(MENDED);
    await pace.work(0.4 + lot("charge", numberOf(job.jid)), context.signal);
    if (!isMended && card === "declined") {
      context.fail("card-declined", `The bank of ${customer} declined ${total}`);
      return;
    }
    if (!isMended && (card === "unreachable" || (card === "slow" && isFirstTry(job)))) {
      throw new GatewayTimeout(`No answer from the bank of ${customer} within 30 s`);
    }
    const books = booksOf(job.jid, job.data);
    const jids = books.map((_, i) => bookJid(job.jid, i));
    const isSoon = job.tags.includes(EXPRESS);
    const common = { priority: isSoon ? -10 : 0, tags: isSoon ? [customer, EXPRESS] : [customer] };
    const printing = context.client.queue("printing");
    const klass = "book.print";
    await printing.putMany(books.map((data, i) => ({ klass, data, jid: jids[i]!, ...common })));
    context.complete({ next: "shipping", depends: jids });
  };

/** Something long that tells how far it is. */
async function report(pace: Pace, context: JobContext<ShopJobs>, seconds: number) {
  const steps = 12;
  for (let step = 0; step < steps; step++) {
    await context.checkin(`${step} of ${steps} departments`, step / steps);
    await pace.work(seconds / steps, context.signal);
  }
  return { departments: steps };
}

function press(pace: Pace): Room {
  return {
    queues: ["printing"],
    concurrency: 3,
    handlers: { "book.print": print(pace) },
    options: { "book.print": { retries: 2, backoff: { kind: "fixed", base: pace.ms(4) } } },
  };
}

/** Seconds from one word about the progress to the next. */
const STEP = 2;

const print =
  (pace: Pace): Handler<ShopJobs, "book.print"> =>
  async (job, context) => {
    const { pages, paper } = job.data;
    const seconds = pages / 7;
    for (let passed = 0; passed < seconds; passed += STEP) {
      const page = Math.round((pages * passed) / seconds);
      await context.checkin(`page ${page} of ${pages}`, passed / seconds);
      await pace.work(Math.min(STEP, seconds - passed), context.signal);
      if (job.tags.includes(MENDED)) continue;
      if (paper === "damp" || (paper === "thin" && isFirstTry(job))) {
        throw new PaperJam(`The ${paper} paper is stuck after page ${page}`);
      }
    }
  };

function porter(pace: Pace): Room {
  return {
    queues: ["shipping", "returns"],
    concurrency: 3,
    handlers: {
      order: ship(pace),
      "return.refund": async (_, { signal }) => pace.work(1, signal),
    },
  };
}

const ship =
  (pace: Pace): Handler<ShopJobs, "order"> =>
  async (job, context) => {
    const { customer, address } = job.data;
    const number = numberOf(job.jid);
    await pace.work(0.5 + lot("ship", number), context.signal);
    if (address === "unknown" && !job.tags.includes(MENDED)) {
      context.fail("address-unknown", `The parcel service does not find ${customer}`);
      return;
    }
    const letter = { to: customer, about: job.jid };
    const delay = pace.ms(40 + 60 * lot("review", number));
    const later = { delay, tags: [customer] };
    const mail = context.client.queue("mail");
    await mail.put("mail.review", letter, { ...later, jid: `review-${number}` });
    if (number % 5 !== 0) return;
    const refund = { ...later, jid: `refund-${number}`, depends: [`review-${number}`] };
    await context.client.queue("returns").put("return.refund", { order: job.jid }, refund);
  };
