import { hostname } from "node:os";
import type { Client } from "../../client/client.ts";
import { connect } from "../../connect.ts";
import { checkPort, DEFAULT_PORT, type Served, type ServeOptions } from "../../http/server.ts";
import { startInterval } from "../../timers.ts";
import { Deadline } from "../../worker/deadline.ts";
import { firstLine } from "../../worker/modules.ts";
import { EXIT } from "../exit-codes.ts";
import type { Flags } from "../flags.ts";
import type { Output } from "../output.ts";
import { onStopSignals } from "../stop-signals.ts";
import { complain, onUncaught } from "../uncaught.ts";
import { Accidents } from "./accidents.ts";
import { Crew } from "./crew.ts";
import { listen } from "./listening.ts";
import { open } from "./opening.ts";
import { type Pace, paceFrom } from "./pace.ts";
import { NAMESPACE, type Place, placeFrom } from "./place.ts";
import { jobs, type ShopJobs } from "./shop.ts";
import { welcome } from "./words.ts";

/** Connections are given so long to close, and requests to be answered, in milliseconds. */
const CLOSE_MS = 2000;
const GRACE_MS = 1000;
/** How often it is looked whether whoever has started this is still there, in milliseconds. */
const ORPHAN_MS = 1000;
/** A store that does not answer is waited for so long. */
const STORE_TIMEOUT = "5s";
/** Seconds from one accident to the next, and until a press that was killed is replaced. */
const ACCIDENT_S = 50;
const REST_S = 12;

/** Runs the demonstration until it is told to stop; gives the code to exit with. */
export async function demonstrate(flags: Flags, out: Output): Promise<number> {
  const port = flags.whole("port") ?? DEFAULT_PORT;
  checkPort(port);
  const host = flags.text("host");
  const pace = paceFrom(process.env);
  const place = placeFrom({ redis: flags.text("redis"), data: flags.text("data") });
  const options = { namespace: NAMESPACE, jobs, timeout: STORE_TIMEOUT, onWarning: () => {} };
  const client = await connect(place.url, options);
  try {
    return await run(client, { place, pace, port, host, out });
  } finally {
    await new Deadline(CLOSE_MS).meets(client.close().catch(() => {}));
  }
}

interface Settings {
  place: Place;
  pace: Pace;
  port: number;
  host: string | undefined;
  out: Output;
}

async function run(client: Client<ShopJobs>, settings: Settings): Promise<number> {
  const { place, pace, port, out } = settings;
  const isFound = (await open(client, pace)) === "found";
  const isJoined = isFound && (await isWorkedOn(client));
  const served = await listen(client, port, serveOptions(settings.host));
  const ui = `${served.url}ui/`;
  const crew = new Crew({
    ...{ url: place.url, namespace: NAMESPACE, pace: pace.times, restMs: pace.ms(REST_S) },
    onTrouble: (why) => complain(`A worker could not start, and is tried again: ${why}`),
  });
  crew.start();
  const accidents = new Accidents(client, crew, {
    everyMs: pace.ms(ACCIDENT_S),
    onFirst: (worker, jid) => out.say(`  ${worker} was killed at work: ${ui}#/jobs/${jid}`),
  });
  const ending = ended({ served, crew, accidents, out });
  // Only now: whoever reads how to stop it may do so at once.
  out.lines(welcome({ ui, place, wanted: port, port: served.port, isFound, isJoined }));
  return ending;
}

interface Running {
  served: Served;
  crew: Crew;
  accidents: Accidents;
  out: Output;
}

/** The first signal stops when workers have given back what they hold, the second at once. */
function ended({ served, crew, accidents, out }: Running): Promise<number> {
  return new Promise((resolve) => {
    const quit = (code: number) => {
      crew.end();
      resolve(code);
    };
    const broken = (error: unknown) => {
      complain(firstLine(error));
      quit(EXIT.FAILED);
    };
    onUncaught(broken);
    let isStopping = false;
    const stop = () => {
      if (isStopping) return;
      isStopping = true;
      out.say("Stopping; once more ends it at once.");
      accidents.stop();
      const all = Promise.all([crew.stop(), served.stop()]);
      all.then(() => out.say("Stopped.")).then(() => resolve(EXIT.CLEAN), broken);
    };
    onStopSignals({
      asked: stop,
      urged: (signal) => quit(signal === "SIGINT" ? EXIT.SIGINT : EXIT.SIGTERM),
    });
    onOrphaned(stop);
  });
}

/** Npm may be killed without a word to what it has started, which nobody would then find to stop. */
function onOrphaned(stop: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = startInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, ORPHAN_MS);
}

/** Whoever reaches it may do everything, but to jobs of the demonstration alone. */
function serveOptions(host: string | undefined): ServeOptions {
  const elsewhere = host === undefined ? {} : { host, hosts: ["any"], insecure: true };
  return { grace: GRACE_MS, ...elsewhere };
}

/** Whether another demonstration is at work; one that was killed may still be listed. */
async function isWorkedOn(client: Client<ShopJobs>): Promise<boolean> {
  const workers = await client.workers.list();
  return workers.some(({ present }) => {
    if (present === undefined) return false;
    const { host, pid } = present.facts;
    return host !== hostname() || pid === undefined || isAlive(pid);
  });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
