import { describe, expect, test } from "vitest";
import { EXIT } from "../../../src/cli/exit-codes.ts";
import { everySite, isThorough, type OpenSite, PLACES } from "../support.ts";
import type { Row, Rows } from "./row.ts";

/**
 * Plays every row with queues in a file or in Redis, in turns within a verb and from verb to verb;
 * `npm run test:cli` plays all in both. What never gets as far as a queue needs no second place.
 */
export function playAll(rows: Rows): void {
  everySite("the verb", (open, place) => {
    const isPlayed = ({ code }: Row, turn: number) =>
      isThorough ? place === "sqlite" || code !== EXIT.USAGE : place === PLACES[turn % 2];
    Object.entries(rows).forEach(([verb, all], nth) => {
      const played = all.filter((row, i) => isPlayed(row, nth + i));
      describe.runIf(played.length > 0)(verb, () => {
        test.each(played)("$does", (row) => play(open, verb, row));
      });
    });
  });
}

async function play(open: OpenSite, verb: string, row: Row): Promise<void> {
  const site = await open(row.files ?? {});
  // The file is there before it is looked into.
  await site.client.queues();
  await row.before?.(site.client, site);
  const words = [...verb.split(" "), ...(row.words ?? [])];
  if (row.json !== undefined) words.push("--json");
  const { code, stdout, stderr } = await site.qless(words, row.input);
  expect({ code, stderr }).toEqual({ code: row.code ?? 0, stderr: stderrOf(row) });
  if (row.out !== undefined) expect(stdout).toMatch(row.out);
  if (row.json !== undefined) expect(JSON.parse(stdout)).toEqual(row.json);
  await row.after?.(site.client, site);
  expect(await site.client.maintenance.check()).toEqual([]);
}

/** What goes wrong is told in one line; else nothing is. */
function stderrOf({ error }: Row): unknown {
  if (error === undefined) return "";
  const sentence = typeof error === "string" ? `^qless: ${escaped(error)}\n$` : error.source;
  return expect.stringMatching(new RegExp(sentence));
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
