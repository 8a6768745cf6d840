import { engineTime } from "../../client/engine-time.ts";
import { VERSION } from "../../worker/version.ts";
import type { Desk } from "../desk.ts";
import { diagnosis, type Finding } from "../diagnosis.ts";
import { EXIT } from "../exit-codes.ts";
import { placeOf, plain } from "../plain.ts";
import { tableOf } from "../table.ts";
import type { Verb } from "../verb.ts";

/** Calls that latency is taken from. */
const CALLS = 21;

export const doctor: Verb = {
  name: "doctor",
  about: "Look whether jobs are safe here, and say what to do.",
  examples: ["qless doctor", "QLESS_URL=redis://redis.example.com qless doctor --json"],
  notes: "Exits with 4 when something is not well. Whether the data agrees is for qless check.",
  at: "queues",
  async run(desk) {
    // It tells of dangers itself.
    const client = await desk.open(() => {});
    const facts = (await client.engine.facts?.()) ?? {};
    const found = diagnosis(facts, { ...(await measure(desk)), version: VERSION });
    const isWell = found.every(({ state }) => state === "ok");
    const place = placeOf(desk.url);
    desk.out.show({ engine: place, ok: isWell, findings: found }, () => [
      plain(`${place}, namespace ${client.engine.namespace}`),
      ...findingsTable(found),
    ]);
    return isWell ? EXIT.CLEAN : EXIT.FOUND;
  },
};

async function measure(desk: Desk): Promise<{ latencies: number[]; skewMs: number }> {
  const calls = await desk.calls();
  const latencies: number[] = [];
  let skewMs = 0;
  for (let i = 0; i < CALLS; i++) {
    const begun = performance.now();
    const at = Date.now();
    const told = await engineTime(calls);
    latencies.push(performance.now() - begun);
    // It told the time about half way through the call.
    skewMs = told.getTime() - (at + Date.now()) / 2;
  }
  return { latencies, skewMs };
}

const COLOURS = { ok: "green", warning: "yellow", bad: "red" } as const;

function findingsTable(found: readonly Finding[]): string[] {
  return tableOf(found, [
    { title: "ABOUT", of: ({ about }) => about },
    { title: "STATE", of: ({ state }) => state, colour: ({ state }) => COLOURS[state] },
    { title: "FOUND", isFree: true, of: ({ told }) => told },
    { title: "WHAT TO DO", isFree: true, of: ({ todo }) => todo },
  ]);
}
