import { invalid } from "../client/times.ts";
import { DEFAULTS } from "../connect.ts";
import type { ChildrenOptions, Model } from "../worker/children/options.ts";
import type { WorkConfig } from "../worker/config.ts";
import { checkedOptions, type WorkerOptions } from "../worker/options.ts";
import { choiceOf } from "../worker/order.ts";
import { namesIn, timeIn, wholeIn } from "./flags.ts";
import type { LogSettings } from "./logging.ts";

/** Flags of `qless work`, as they were typed. */
export interface WorkFlags {
  url?: string;
  namespace?: string;
  config?: string;
  queues?: string;
  jobs?: string;
  concurrency?: string;
  model?: Model;
  children?: string;
  maxJobs?: string;
  maxMemory?: string;
  env?: string;
  order?: "ordered" | "round-robin" | "weighted";
  weights?: string;
  grace?: string;
  name?: string;
  logLevel?: LogSettings["level"];
  logFormat?: LogSettings["format"];
}

/** All that a worker process goes by. */
export interface Settings {
  url: string;
  namespace: string;
  jobs: string;
  log: LogSettings;
  worker: WorkerOptions;
}

interface Sources {
  flags: WorkFlags;
  environment: NodeJS.ProcessEnv;
  file: WorkConfig;
  isTerminal: boolean;
}

/** Puts together what is said where: flags before the environment, the file, and what is usual. */
export function settled({ flags, environment, file, isTerminal }: Sources): Settings {
  const said = { ...file, ...fromEnvironment(environment), ...fromFlags(flags) };
  const children = { ...file.children, ...childrenFrom(flags) };
  if (Object.keys(children).length > 0) said.children = children;
  const { url = DEFAULTS.url, namespace = DEFAULTS.namespace, jobs = "./jobs" } = said;
  const { logLevel = file.log?.level ?? "info" } = flags;
  const { logFormat = file.log?.format ?? (isTerminal ? "pretty" : "json") } = flags;
  return {
    url,
    namespace,
    jobs,
    log: { level: logLevel, format: logFormat },
    worker: checkedWorker({ ...said, jobs }),
  };
}

/** What the worker would refuse is refused before anything is loaded or connected. */
function checkedWorker(said: WorkConfig): WorkerOptions {
  const { queues, concurrency, model, weights, grace, name } = said;
  if (queues === undefined || queues.length === 0) {
    throw invalid("Which queues? Say --queues a,b, or QLESS_QUEUES, or queues in the config file");
  }
  const order = said.order ?? (weights === undefined ? undefined : "weighted");
  // Where handlers run in this process, they are loaded by this process.
  const isHere = model === undefined || model === "coroutines";
  const elsewhere = isHere ? {} : { jobs: said.jobs };
  const options = { queues, concurrency, model, order, weights, grace, name };
  const { children } = said;
  const given = Object.entries({ ...options, ...elsewhere, children }).filter(
    ([, value]) => value !== undefined,
  );
  const worker = Object.fromEntries(given) as unknown as WorkerOptions;
  const checked = checkedOptions(worker);
  choiceOf(checked.order, checked.queues, checked.weights);
  return worker;
}

/** A variable that is empty says nothing. */
function fromEnvironment(environment: NodeJS.ProcessEnv): WorkConfig {
  const { QLESS_URL, QLESS_NAMESPACE, QLESS_QUEUES, QLESS_CONCURRENCY } = environment;
  return {
    ...(QLESS_URL && { url: QLESS_URL }),
    ...(QLESS_NAMESPACE && { namespace: QLESS_NAMESPACE }),
    ...(QLESS_QUEUES && { queues: namesIn(QLESS_QUEUES, "QLESS_QUEUES") }),
    ...(QLESS_CONCURRENCY && { concurrency: wholeIn(QLESS_CONCURRENCY, "QLESS_CONCURRENCY") }),
  };
}

function fromFlags(flags: WorkFlags): WorkConfig {
  for (const [flag, text] of Object.entries(flags)) {
    if (text === "") throw invalid(`--${flag} says nothing: leave it out, or give it a value`);
  }
  const { queues, concurrency, weights, grace, url, namespace, jobs, order, name, model } = flags;
  const same = { url, namespace, jobs, order, name, model };
  const given = Object.entries(same).filter(([, value]) => value !== undefined);
  return {
    ...Object.fromEntries(given),
    ...(queues !== undefined && { queues: namesIn(queues, "--queues") }),
    ...(concurrency !== undefined && { concurrency: wholeIn(concurrency, "--concurrency") }),
    ...(weights !== undefined && { weights: weightsFrom(weights) }),
    ...(grace !== undefined && { grace: timeIn(grace, "--grace") }),
  };
}

/** What flags say of children; the rest of what the file says of them stays. */
function childrenFrom(flags: WorkFlags): ChildrenOptions {
  const { children, maxJobs, maxMemory, env } = flags;
  return {
    ...(children !== undefined && { count: wholeIn(children, "--children") }),
    ...(maxJobs !== undefined && { maxJobs: wholeIn(maxJobs, "--max-jobs") }),
    ...(maxMemory !== undefined && { maxMemory: wholeIn(maxMemory, "--max-memory") }),
    ...(env !== undefined && { env: namesIn(env, "--env") }),
  };
}

function weightsFrom(list: string): Record<string, number> {
  const pairs = namesIn(list, "--weights").map((pair) => {
    const [, queue, weight] = /^(.+)=(\d{1,9})$/.exec(pair) ?? [];
    if (queue !== undefined) return [queue, Number(weight)] as const;
    throw invalid(`--weights must be such as a=3,b=1, not ${JSON.stringify(pair)}`);
  });
  return Object.fromEntries(pairs);
}
