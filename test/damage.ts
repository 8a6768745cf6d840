import { afterEach, describe, expect, test } from "vitest";
import { type Bench, HOMES } from "./engines.ts";
import { type Hands, openWithHands } from "./hands.ts";
import { jobIn } from "./states.ts";

/** A place in front of a jid, as in work and scheduled, before those of all jobs put in a test. */
export const PLACE = "0000000000001";

export type Act = (bench: Bench, hands: Hands) => Promise<unknown>;

/** Damage to one kind of key: how it comes about, what is said of it, and what must be true again. */
export interface Damage {
  what: string;
  before: Act;
  damage: Act;
  /** What the problem is about, and the problem. */
  tells: [about: string | RegExp, problem: RegExp];
  after?: Act;
}

export const inState =
  (name: Parameters<typeof jobIn>[1], options: Parameters<typeof jobIn>[2] = {}): Act =>
  (bench) =>
    jobIn(bench, name, options);

/** Expects the queue to hand out exactly these jobs. */
export const pops =
  (queue: string, ...jids: string[]): Act =>
  async (bench) =>
    expect((await bench.pop(queue, "other", 10)).map((job) => job.jid)).toEqual(jids);

/** Expects the worker to be able to complete the job. */
export const completedBy =
  (jid: string): Act =>
  (bench) =>
    bench.call("complete", jid, "w", "q", "{}");

/** The member of a job that has a place in front of its jid. */
export const placed = async (hands: Hands, jid: string) =>
  `${await hands.field(`j:${jid}`, "place")}${jid}`;

/** Declares tests in every home, on data that hands can reach. */
export function everyHand(
  subject: string,
  declare: (open: () => Promise<{ bench: Bench; hands: Hands }>) => void,
): void {
  for (const home of HOMES) {
    describe(`${subject} (${home})`, () => {
      const opened: { bench: Bench; hands: Hands }[] = [];
      afterEach(async () => {
        for (const { bench, hands } of opened.splice(0)) {
          await bench.engine.close();
          await hands.close();
        }
      });
      declare(async () => {
        const both = await openWithHands(home);
        opened.push(both);
        return both;
      });
    });
  }
}

/** Declares that each damage is reported and can be mended. */
export function everyDamageIsMended(rows: Damage[]): void {
  everyHand("check", (open) => {
    for (const row of rows) {
      test(`reports and mends ${row.what}`, async () => {
        const { bench, hands } = await open();
        await row.before(bench, hands);
        expect(await bench.problems()).toEqual([]);
        await row.damage(bench, hands);
        const [about, problem] = row.tells;
        const told = expect.objectContaining({
          about: typeof about === "string" ? about : expect.stringMatching(about),
          problem: expect.stringMatching(problem),
        });
        const found = await bench.problems();
        expect(found).toContainEqual(told);
        expect(await bench.problems(), "the same is found until it is mended").toEqual(found);
        expect(await bench.problems(true)).toContainEqual(told);
        expect(await bench.problems(), "check after the repair").toEqual([]);
        await row.after?.(bench, hands);
        expect(await bench.problems(), "check after further work").toEqual([]);
      });
    }
  });
}
