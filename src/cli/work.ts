import type { Logger } from "pino";
import type { Client } from "../client/client.ts";
import { connect } from "../connect.ts";
import { readConfig } from "../worker/config-file.ts";
import { Deadline } from "../worker/deadline.ts";
import { type LoadedJobs, loadJobs } from "../worker/jobs-folder.ts";
import { checkedOptions } from "../worker/options.ts";
import { Worker } from "../worker/worker.ts";
import { openLog } from "./logging.ts";
import { type Ending, Obedience } from "./obedience.ts";
import { placeOf } from "./plain.ts";
import { type Settings, settled, type WorkFlags } from "./settings.ts";
import { Tally } from "./tally.ts";

/** Connections are given so long to close, in milliseconds. */
const CLOSE_MS = 2000;
/** Children load the jobs that they run. */
const NONE: LoadedJobs = { jobs: new Map(), skipped: [] };

/** Works until it is told to stop; gives the code to exit with. */
export async function work(flags: WorkFlags): Promise<number> {
  const { file, config = {} } = (await readConfig(process.cwd(), flags.config)) ?? {};
  const isTerminal = process.stdout.isTTY === true;
  const settings = settled({ flags, environment: process.env, file: config, isTerminal });
  const log = openLog(settings.log);
  if (file !== undefined) log.debug({ file }, "Read the config file");
  try {
    return await serve(settings, log);
  } catch (err) {
    log.debug({ err }, "It could not start");
    throw err;
  }
}

async function serve(settings: Settings, log: Logger): Promise<number> {
  const { url, namespace } = settings;
  const isHere = settings.worker.jobs === undefined;
  const loaded = isHere ? await loadJobs(settings.jobs) : NONE;
  for (const link of loaded.skipped) log.warn({ link }, "A link that is not followed");
  const client = await connect(url, {
    namespace,
    onWarning: (sentence) => log.warn(sentence),
    // At other levels nobody would see a call, and each would pay for it.
    ...(settings.log.level === "debug" && { logger: log }),
  });
  try {
    return await untilStopped(client, settings, loaded, log);
  } finally {
    await new Deadline(CLOSE_MS).meets(client.close().catch(() => {}));
  }
}

async function untilStopped(
  client: Client,
  settings: Settings,
  { jobs }: LoadedJobs,
  base: Logger,
): Promise<number> {
  const { name = client.name } = settings.worker;
  const log = base.child({ worker: name });
  const worker = new Worker(client, { ...settings.worker, name, logger: log });
  for (const [klass, { handler, options }] of jobs) worker.handle(klass, handler, options);
  const tally = new Tally(worker, log);
  const obedience = new Obedience(worker, log);
  obedience.listen();
  await worker.start();
  const { queues, model, concurrency, children } = checkedOptions(settings.worker);
  const engine = placeOf(settings.url);
  const ofChildren = children === undefined ? {} : { model, children: children.count };
  const facts = { name, queues, klasses: worker.klasses, concurrency, ...ofChildren, engine };
  log.info({ ...facts, namespace: client.engine.namespace }, "Working");
  const ending = await obedience.ended;
  sayGoodbye(ending, tally, log);
  return ending.code;
}

function sayGoodbye({ report, code }: Ending, { counts }: Tally, log: Logger): void {
  if (report === undefined) {
    log.warn({ ...counts, code }, "Stopped without waiting; others get the jobs when locks expire");
    return;
  }
  const { left } = report;
  const facts = { ...counts, left, code };
  if (left.length === 0) log.info(facts, "Stopped");
  else log.warn(facts, "Stopped; the jobs that were left have been given back");
}
