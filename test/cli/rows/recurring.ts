import { expect } from "vitest";
import type { Client } from "../../../src/client/client.ts";
import type { Rows } from "./row.ts";

const recurring = (client: Client) => client.recurring.set("c", "k", {}, { interval: "15m" });
const schedule = (client: Client) => client.schedules.set("s", "k", {}, { cron: "0 9 * * *" });
const NOTHING = { code: 3, error: "Nothing recurs as nope: see qless recur list" };

export const RECURRING: Rows = {
  "recur list": [
    { does: "says that nothing does", out: "Nothing recurs.\n" },
    {
      does: "lists both kinds",
      before: async (client) => {
        await recurring(client);
        await schedule(client);
      },
      out: /^JID .*\nc +k +k +every 15m .*\ns +k +k +0 9 \* \* \* \(UTC\) +0 +2/,
    },
    {
      does: "tells them as the protocol does",
      before: recurring,
      json: { recurring: [expect.objectContaining({ jid: "c", interval: 900 })], schedules: [] },
    },
    {
      does: "tells which of them are paused",
      before: async (client) => {
        await recurring(client);
        await schedule(client);
        await client.recurring.pause("c");
        await client.schedules.pause("s");
      },
      out: /^JID .*\nc .* paused\ns .* paused\n$/,
    },
    { does: "takes no words", words: ["x"], code: 2, error: /^qless: too many arguments/ },
  ],
  "recur put": [
    {
      does: "defines a recurring job",
      words: ["c", "q", "k", '{"a":1.0}', "--every", "15m", "--tags", "x", "--backlog", "2"],
      json: { jid: "c" },
      after: async (client) =>
        expect(await client.recurring.get("c")).toMatchObject({
          intervalMs: 900_000,
          queue: "q",
          tags: ["x"],
          backlog: 2,
        }),
    },
    {
      does: "needs an interval",
      words: ["c", "q", "k"],
      code: 2,
      error: "How often? Say --every 15m, or use qless recur cron",
    },
    {
      does: "refuses data that is not JSON",
      words: ["c", "q", "k", "{", "--every", "1m"],
      code: 2,
      error: /^qless: Data must be JSON/,
    },
    {
      does: "refuses the jid of a schedule",
      before: schedule,
      words: ["s", "q", "k", "--every", "1m"],
      code: 3,
      error: /^qless: .*\bs\b/,
    },
  ],
  "recur cron": [
    {
      does: "defines a schedule",
      words: ["s", "q", "k", "0 9 * * 1-5", "[1]", "--zone", "Europe/Berlin", "--overlap", "skip"],
      json: { jid: "s", next: expect.any(Number) },
      after: async (client) =>
        expect(await client.schedules.get("s")).toMatchObject({
          zone: "Europe/Berlin",
          overlap: "skip",
          data: [1],
        }),
    },
    {
      does: "refuses an expression that cannot be read",
      words: ["s", "q", "k", "x y"],
      code: 2,
      error: /^qless: Cron "x y" in zone "UTC" cannot be read/,
    },
    {
      does: "refuses a zone that there is not",
      words: ["s", "q", "k", "* * * * *", "--zone", "Mars"],
      code: 2,
      error: /^qless: Cron .* in zone "Mars" cannot be read/,
    },
    {
      does: "refuses what never comes round",
      words: ["s", "q", "k", "0 0 30 2 *"],
      code: 2,
      error: /never comes round/,
    },
  ],
  "recur pause": [
    {
      does: "pauses a schedule",
      before: schedule,
      words: ["s"],
      out: "s is paused\n",
      after: async (client) => expect((await client.schedules.get("s"))!.paused).toBe(true),
    },
    {
      does: "lets it go on",
      before: async (client) => {
        await schedule(client);
        await client.schedules.pause("s");
      },
      words: ["s", "--off"],
      json: { jid: "s", paused: false },
    },
    {
      does: "pauses one at an interval",
      before: recurring,
      words: ["c"],
      out: "c is paused\n",
      after: async (client) =>
        expect(await client.recurring.get("c")).toMatchObject({
          paused: true,
          next: undefined,
        }),
    },
    {
      does: "lets one at an interval go on",
      before: async (client) => {
        await recurring(client);
        await client.recurring.pause("c");
      },
      words: ["c", "--off"],
      json: { jid: "c", paused: false },
      after: async (client) => expect((await client.recurring.get("c"))!.next).toBeDefined(),
    },
    { does: "refuses one that there is not", words: ["nope"], code: 3, error: /^qless: .*nope/ },
  ],
  "recur next": [
    {
      does: "tells when an expression comes round",
      words: ["0 0 1 1 *", "--count", "2"],
      out: /^\d{4}-01-01T00:00:00\.000Z .*\n\d{4}-01-01T/,
    },
    {
      does: "tells it of a schedule",
      before: schedule,
      words: ["s", "--count", "1"],
      json: [expect.any(Number)],
    },
    {
      does: "tells it of a recurring job",
      before: recurring,
      words: ["c"],
      json: Array(5).fill(expect.any(Number)),
    },
    {
      does: "knows none of a recurring job that is paused",
      before: async (client) => {
        await recurring(client);
        await client.recurring.pause("c");
      },
      words: ["c"],
      out: "c is paused\n",
    },
    { does: "refuses one that there is not", words: ["nope"], ...NOTHING },
    {
      does: "refuses a count that is none",
      words: ["* * * * *", "--count", "0"],
      code: 2,
      error: "--count must be from 1 to 1000",
    },
  ],
  "recur drop": [
    {
      does: "ends a recurring job",
      before: recurring,
      words: ["c", "--yes"],
      out: "c recurs no more\n",
      after: async (client) => expect(await client.recurring.get("c")).toBeUndefined(),
    },
    {
      does: "ends a schedule",
      before: schedule,
      words: ["s", "--yes"],
      json: { jid: "s" },
      after: async (client) => expect(await client.schedules.get("s")).toBeUndefined(),
    },
    { does: "refuses one that there is not", words: ["nope", "--yes"], ...NOTHING },
    {
      does: "asks first",
      before: schedule,
      words: ["s"],
      code: 2,
      error: "End s? Nobody can be asked here: say --yes",
    },
  ],
};
