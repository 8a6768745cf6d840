import { expect, test } from "vitest";
import type { Entry, Job } from "../../src/ui/lib/shapes.ts";
import { lifeOf } from "../../src/ui/pages/job/spans.ts";

const job = (state: Job["state"], history: Entry[]) => ({ state, history }) as Job;
const told = (state: Job["state"], history: Entry[], now: number) =>
  lifeOf(job(state, history), now).spans.map(({ kind, lane, from, to, end }) => [
    kind,
    lane,
    from,
    to,
    end,
  ]);

const PUT = { what: "put", when: 10, q: "mail" };

test("a job waits, runs and is complete", () => {
  const history = [PUT, { what: "popped", when: 15, worker: "w" }, { what: "done", when: 20 }];
  expect(told("complete", history, 99)).toEqual([
    ["waiting", "mail", 10, 15, "handed out"],
    ["running", "w", 15, 20, "completed"],
  ]);
});

test("a lost lock, a retry and a failure are stretches of their own", () => {
  const history = [
    PUT,
    { what: "popped", when: 11, worker: "a" },
    { what: "timed-out", when: 20 },
    { what: "popped", when: 25, worker: "b" },
    { what: "retried", when: 30, worker: "b" },
    { what: "popped", when: 31, worker: "b" },
    { what: "failed", when: 40, group: "Smtp", worker: "b" },
  ];
  expect(told("failed", history, 50).slice(1)).toEqual([
    ["running", "a", 11, 20, "lock lost"],
    ["stalled", "mail", 20, 25, "handed out"],
    ["running", "b", 25, 30, "retried"],
    ["waiting", "mail", 30, 31, "handed out"],
    ["running", "b", 31, 40, "failed: Smtp"],
    ["failed", "mail", 40, 50, ""],
  ]);
});

test("what goes on is what the job is now", () => {
  expect(told("depends", [PUT], 30)).toEqual([["depends", "mail", 10, 30, ""]]);
  expect(told("scheduled", [PUT], 30)).toEqual([["scheduled", "mail", 10, 30, ""]]);
});

test("a job whose history says nothing has no stretches, and a time all the same", () => {
  const { spans, from, to } = lifeOf(job("waiting", []), 30);
  expect(spans).toEqual([]);
  expect(to).toBeGreaterThan(from);
});
