import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { EXIT } from "../../src/cli/exit-codes.ts";
import { YES } from "../../src/cli/verb.ts";
import { VERBS } from "../../src/cli/verbs/index.ts";
import { redisUrl } from "../engines.ts";
import { blocksOf } from "../sections.ts";
import { read } from "../sources.ts";
import { type Engine, Place } from "./example-place.ts";
import { FILES, OWN_FILES, worldOf } from "./example-worlds.ts";
import { isThorough, PLACES, type Started } from "./support.ts";
import { hasTerminal, onTerminal } from "./terminal.ts";

/**
 * What docs/guides/cli.md types is typed here. Its blocks are the examples of the verbs, which
 * guide.test.ts sees to, and one at its beginning.
 *
 * An example that names a place is run there. The others are shared out between the engines, so that most
 * verbs meet both: each start of `qless` has its price, and what verbs do on either engine has tests of
 * its own. `npm run test:cli` runs all on both.
 */

interface Example {
  verb: string;
  text: string;
  engine: Engine;
}

const [opening, ...blocks] = blocksOf(read("docs/guides/cli.md"), "sh");
const hasJq = spawnSync("jq", ["--version"], { stdio: "ignore" }).status === 0;
/** At a time; most wait for nothing but the processor. */
const SEATS = 4;
const PATIENCE_MS = 30_000;

/** Verbs that do without a queue: one engine is as good as the other. */
const isOfNowhere = (verb: string) => VERBS.find(({ name }) => name === verb)?.at === "nowhere";

/** Where an example is run; `i` goes from one to the next, within a verb and from verb to verb. */
function enginesFor(verb: string, text: string, i: number): readonly Engine[] {
  const named = /sqlite:|redis:/.exec(text)?.[0].slice(0, -1) as Engine | undefined;
  if (named !== undefined) return [named];
  if (isOfNowhere(verb)) return ["sqlite"];
  return isThorough ? PLACES : [PLACES[i % 2]!];
}

const EXAMPLES: Example[] = VERBS.flatMap(({ name: verb, examples }, nth) =>
  examples.flatMap((text, i) =>
    enginesFor(verb, text, nth + i).map((engine) => ({ verb, text, engine })),
  ),
);

/** Examples that end otherwise than with 0, and why. */
function codeOf({ verb, engine }: Example): number {
  // The server of the tests keeps nothing on disk, and doctor is there to say so.
  return verb === "doctor" && engine === "redis" ? EXIT.FOUND : EXIT.CLEAN;
}

/** Rightly in vain: no lock runs out while a test looks on, and what is imported are settings. */
const isInVain = ({ verb, text }: Example) => text === "qless jobs stalled q" || verb === "import";

/** The example as it is typed here. */
function typed({ verb, text }: Example): string {
  const here = text.replaceAll(/redis:\/\/\S+/g, redisUrl());
  const asks = VERBS.find(({ name }) => name === verb)?.flags?.includes(YES) === true;
  // Nobody is there to be asked.
  if (asks && !/--yes|\|/.test(here)) return `${here} --yes`;
  // The port of the documents may be taken by somebody.
  if (verb === "serve") return `${here} --port 0`;
  // The measure itself is of no interest; the last that is said counts.
  return verb === "bench" ? `${here} --jobs 200` : here;
}

/** When a verb that stays has begun. */
const READY: Record<string, RegExp> = {
  work: /"msg":"Working"/,
  serve: /"msg":"Serving"/,
  demo: /Open +http/,
  tail: /\n/,
};

async function isReady({ verb }: Example, place: Place, run: Started): Promise<void> {
  let isOver = false;
  void run.code().then(() => {
    isOver = true;
  });
  for (const end = Date.now() + PATIENCE_MS; !isOver && Date.now() < end; ) {
    if (READY[verb]!.test(run.stdout)) return;
    // Whether it listens already is not to be seen, so something happens until it tells of it.
    if (verb === "tail") await failOne(place);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`does not get ready: ${run.stdout}${run.stderr}`);
}

async function failOne({ client }: Place): Promise<void> {
  await client.queue("noise").put("k", {});
  await (await client.queue("noise").pop())[0]!.fail("smtp-timeout", "no answer");
}

async function begun(example: Example, place: Place): Promise<Started> {
  if (example.verb === "top") {
    const words = typed(example).split(" ").slice(1);
    const top = onTerminal(words, { cwd: place.folder, env: place.env });
    await top.shows(/emails +1 /);
    top.type("\u0003");
    return top;
  }
  const run = place.type(typed(example));
  if (example.verb in READY) {
    await isReady(example, place, run);
    place.signal(example.engine === "sqlite" ? "SIGINT" : "SIGTERM");
  }
  return run;
}

/** What is wrong with an example, if anything. */
async function complaint(example: Example): Promise<string | undefined> {
  const { verb, text, engine } = example;
  const place = await Place.open(engine, { ...FILES, ...OWN_FILES[verb] });
  try {
    await worldOf(verb, text)(place.client);
    const run = await begun(example, place);
    const code = await run.code();
    const told = `${text} (${engine}) ends with ${code}: ${run.stdout}${run.stderr}`;
    if (code !== codeOf(example) || /^ +at .*:\d+/m.test(run.stderr)) return told;
    const hasFound = !/^(No |Nothing |0 jobs|\[\]$)/m.test(run.stdout);
    return hasFound || isInVain(example) ? undefined : told;
  } catch (error) {
    return `${text} (${engine}) ${(error as Error).message}`;
  } finally {
    await place.client.close();
  }
}

/** What is wrong with any of them. They sit apart, each in a namespace and a folder of its own. */
async function complaints(examples: readonly Example[]): Promise<string[]> {
  const waiting = [...examples];
  const found: string[] = [];
  const seat = async () => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      const wrong = await complaint(one);
      if (wrong !== undefined) found.push(wrong);
    }
  };
  await Promise.all(Array.from({ length: SEATS }, seat));
  return found;
}

test("the guide has no block but its opening and the examples", () => {
  const examples = VERBS.map((verb) => `${verb.examples.join("\n")}\n`);
  expect(blocks.toSorted()).toEqual(examples.toSorted());
});

test("every example does what it says, and so does the opening of the guide", async () => {
  const first: Example = { verb: "work", text: opening!.trim(), engine: "sqlite" };
  const cannot = ({ verb, text }: Example) =>
    (verb === "top" && !hasTerminal) || (text.includes("jq ") && !hasJq);
  const found = await complaints([first, ...EXAMPLES].filter((example) => !cannot(example)));
  expect(found).toEqual([]);
}, 180_000);
