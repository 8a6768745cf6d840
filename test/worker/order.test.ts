import { describe, expect, test } from "vitest";
import { choiceOf } from "../../src/worker/order.ts";
import { everyClient } from "../client/every-client.ts";
import { workerOf } from "./support.ts";

everyClient("the order of queues", (open) => {
  async function popped(order: "ordered" | "round-robin"): Promise<string> {
    const client = await open();
    const counts = { A: 5, B: 2, C: 3 };
    for (const [queue, count] of Object.entries(counts)) {
      for (let i = 0; i < count; i++) await client.queue(queue).put("k", {});
    }
    const ran: string[] = [];
    const options = { queues: ["C", "B", "A"], concurrency: 1, order };
    await workerOf(client, options)
      .handle("k", (job) => void ran.push(job.queue))
      .drain({ timeout: "5s" });
    return ran.join(", ");
  }

  test("is the one given", async () => {
    expect(await popped("ordered")).toBe("C, C, C, B, B, A, A, A, A, A");
  });

  test("gives each queue its turn", async () => {
    expect(await popped("round-robin")).toBe("C, B, A, C, B, A, C, A, A, A");
  });

  test("shares many hands among the queues", async () => {
    const client = await open();
    for (const queue of ["A", "B"]) {
      await client
        .queue(queue)
        .putMany(Array.from({ length: 20 }, () => ({ klass: "k", data: 0 })));
    }
    const ran: string[] = [];
    const options = { queues: ["A", "B"], concurrency: 10, order: "round-robin" as const };
    await workerOf(client, options)
      .handle("k", (job) => void ran.push(job.queue))
      .drain({ timeout: "5s" });
    expect(ran.slice(0, 20).filter((queue) => queue === "A").length).toBeGreaterThan(5);
    expect(ran.slice(0, 20).filter((queue) => queue === "B").length).toBeGreaterThan(5);
  });
});

describe("weights", () => {
  test("draw each queue first in proportion", () => {
    const weights = { a: 1, b: 3, c: 6 };
    const choice = choiceOf("weighted", ["a", "b", "c"], weights);
    const first = { a: 0, b: 0, c: 0 };
    const draws = 20_000;
    for (let i = 0; i < draws; i++) {
      const { queues, count } = choice.next(4);
      expect(count).toBe(4);
      expect(queues.toSorted()).toEqual(["a", "b", "c"]);
      first[queues[0] as "a"] += 1;
    }
    for (const [queue, weight] of Object.entries(weights)) {
      const share = weight / 10;
      // Six standard deviations: chance exceeds that once in half a billion runs.
      const bound = 6 * Math.sqrt(draws * share * (1 - share));
      expect(Math.abs(first[queue as "a"] - draws * share)).toBeLessThan(bound);
    }
  });

  test("must be whole numbers from 1 to 100,000, of queues", () => {
    for (const weight of [0, 1.5, 100_001, Number.NaN]) {
      expect(() => choiceOf("weighted", ["a", "b"], { a: weight })).toThrow(
        "The weight of a must be a whole number from 1 to 100000",
      );
    }
    expect(() => choiceOf("random" as never, ["a", "b"])).toThrow(
      'order must be ordered, round-robin or weighted, not "random"',
    );
  });
});
