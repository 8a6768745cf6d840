import type { Redis } from "ioredis";
import { type Reply, Unreachable } from "../engine.ts";
import { perform } from "./call.ts";
import type { Connection } from "./connection.ts";

/** What a server says of itself to anyone who may connect. */
export interface Greeting {
  version: string;
  mode: string;
  role: string;
}

/** Asks the server who it is, as far as it says, and refuses one that is too old. */
export async function greet(connection: Connection): Promise<Greeting> {
  const said = await askFirst(connection, [["HELLO"], ["INFO", "server"]]);
  const version = said.version ?? said.redis_version ?? "";
  if (Number.parseInt(version, 10) < 7) {
    const message = `This is Redis ${version}: qless needs Redis 7.0 or later, or Valkey`;
    throw new Unreachable("OLD_SERVER", message);
  }
  return { version, mode: said.mode ?? said.redis_mode ?? "", role: said.role ?? "" };
}

/** Sentences about what jobs may suffer from here, as far as this user may see it. */
export async function dangers(connection: Connection, { role }: Greeting): Promise<string[]> {
  const { servers } = connection;
  const found = await Promise.all(servers.map((node) => dangersOf(connection, node)));
  // In a cluster anyone may have greeted us, and the masters are found by themselves.
  if (role === "replica" && servers[0] === undefined) found.push([REPLICA]);
  return [...new Set(found.flat())];
}

/** What the server tells of itself and of its settings, as far as this user may see it. */
export async function factsOf(connection: Connection): Promise<Settings> {
  const [node] = connection.servers;
  const [info, settings] = await Promise.all([
    askFirst(connection, [["INFO"]], node),
    askFirst(connection, [["CONFIG", "GET", ...SETTINGS]], node),
  ]);
  return { ...info, ...settings };
}

const SETTINGS = ["maxmemory-policy", "maxmemory", "appendonly", "appendfsync", "save"];

const REPLICA = "This Redis is a replica: commands that change something will be turned away";

async function dangersOf(connection: Connection, node: Redis | undefined): Promise<string[]> {
  const settings = await askFirst(connection, QUESTIONS, node);
  const policy = settings["maxmemory-policy"] ?? settings.maxmemory_policy ?? "noeviction";
  const found: string[] = [];
  if (policy !== "noeviction") found.push(evictionDanger(policy));
  if (settings.appendonly === "no" && settings.save === "") found.push(PERSISTENCE_OFF);
  if (settings.aof_enabled === "0") found.push(AOF_OFF);
  return found;
}

function evictionDanger(policy: string): string {
  return (
    `Redis may remove jobs when its memory is full (maxmemory-policy ${policy}): ` +
    "set maxmemory-policy to noeviction"
  );
}

const PERSISTENCE_OFF =
  "Redis keeps nothing on disk, so a restart loses every job: set appendonly to yes";
const AOF_OFF =
  "Redis keeps no append-only file, so a restart may lose jobs: set appendonly to yes " +
  "(this user may not see whether there are snapshots)";

/** Names and values, as a server tells them. */
export type Settings = Record<string, string | undefined>;

/** The question for those who may see the configuration, then the one for the others. */
const QUESTIONS = [
  ["CONFIG", "GET", "maxmemory-policy", "appendonly", "save"],
  ["INFO", "memory", "persistence"],
];

/** What the first of these questions brings that the user may ask; else nothing. */
async function askFirst(
  connection: Connection,
  questions: string[][],
  node?: Redis,
): Promise<Settings> {
  for (const words of questions) {
    const task = { words: () => words, writes: false, repeatable: true, node };
    try {
      return settingsFrom(await perform(connection, task));
    } catch (error) {
      if (!isForbidden(error)) throw error;
    }
  }
  return {};
}

/** Services that run Redis for others hide CONFIG by an ACL, by renaming it, or by an error. */
function isForbidden(error: unknown): boolean {
  if (!(error instanceof Unreachable)) return true;
  return error.code === "NOPERM" || error.code === "NO_COMMAND";
}

/** Reads `name, value, ...` as CONFIG and HELLO have it, or the lines `name:value` of INFO. */
function settingsFrom(reply: Reply): Settings {
  const settings: Settings = Object.create(null);
  if (typeof reply === "string") {
    for (const line of reply.split("\r\n")) {
      const at = line.indexOf(":");
      if (at > 0) settings[line.slice(0, at)] = line.slice(at + 1);
    }
  } else if (Array.isArray(reply)) {
    for (let i = 0; i + 1 < reply.length; i += 2) settings[String(reply[i])] = String(reply[i + 1]);
  }
  return settings;
}
