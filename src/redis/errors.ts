import { REFUSALS } from "../core/refuse.ts";
import { refusalFrom, Unreachable } from "../engine.ts";

/**
 * What the engine does about an outage: `give-up` tells the caller at once; `again` tries until the
 * deadline, because the server did not run the command; `reconnect` does so on a new connection.
 */
export type Remedy = "give-up" | "again" | "reconnect";

/** Why Redis could not run a command, and what to do about it. */
export interface Outage {
  code: string;
  remedy: Remedy;
  says: string;
  /** Whether the command may have begun before it failed. */
  uncertain?: boolean;
}

const OUTAGES: readonly Outage[] = [
  {
    code: "READONLY",
    remedy: "reconnect",
    says: "This Redis is a replica and takes no writes: connect to the primary, or through Sentinel",
  },
  {
    code: "LOADING",
    remedy: "again",
    says: "Redis is still loading its data from disk: try again when it has finished",
  },
  {
    code: "BUSY",
    remedy: "again",
    says: "A script occupies Redis: wait for it, or end it with SCRIPT KILL or FUNCTION KILL",
  },
  {
    code: "UNKILLABLE",
    remedy: "give-up",
    says: "A script that has written occupies Redis and cannot be killed: wait for it to end",
  },
  {
    code: "OOM",
    remedy: "give-up",
    says: "Redis has no memory left: finish or cancel jobs, or raise maxmemory",
  },
  {
    code: "NOREPLICAS",
    remedy: "give-up",
    says: "Redis has fewer replicas than min-replicas-to-write asks for: bring them back, or lower it",
  },
  {
    code: "MISCONF",
    remedy: "give-up",
    says: "Redis cannot write to its disk and takes no writes: see its log, and whether the disk is full",
  },
  {
    code: "CLUSTERDOWN",
    remedy: "again",
    says: "The cluster is down or has slots without a node: see CLUSTER INFO",
  },
  {
    code: "MASTERDOWN",
    remedy: "again",
    says: "This replica has lost its primary and does not answer: restore it, or connect elsewhere",
  },
  {
    code: "TRYAGAIN",
    remedy: "again",
    says: "The cluster is moving this namespace to another node: try again when it has finished",
  },
  {
    code: "REDIRECTED",
    remedy: "again",
    says: "The nodes of the cluster send each other's calls around: see whether CLUSTER NODES agree",
  },
  {
    code: "MOVED",
    remedy: "give-up",
    says: "This Redis is a node of a cluster: give the engine an ioredis Cluster, or option `cluster`",
  },
  {
    code: "NOAUTH",
    remedy: "give-up",
    says: "Redis wants a password: put it in the URL, redis://user:password@host",
  },
  {
    code: "WRONGPASS",
    remedy: "give-up",
    says: "Redis does not accept this user and password, or the user is disabled: correct the URL",
  },
  {
    code: "NOPERM",
    remedy: "give-up",
    says: "The ACL of Redis does not let this user do this: see docs/guides/redis.md for what to grant",
  },
  {
    code: "MAXCLIENTS",
    remedy: "again",
    says: "Redis has as many clients as it allows: close some, or raise maxclients",
  },
  {
    code: "DENIED",
    remedy: "give-up",
    says: "Redis runs in protected mode and only listens to its own host: set a password there",
  },
  {
    code: "NO_COMMAND",
    remedy: "give-up",
    says: "Redis does not know a command: it is older than 7.0, or the command was renamed",
  },
  {
    code: "NO_FUNCTION",
    remedy: "give-up",
    says: "The qless library in Redis lacks a function: it is newer than this client, which needs an update",
  },
  {
    code: "NOSCRIPT",
    remedy: "give-up",
    says: "Redis does not have the qless script, and this user may not load it: see docs/guides/redis.md",
  },
];

const BY_CODE = new Map(OUTAGES.map((outage) => [outage.code, outage]));
const outage = (code: string) => BY_CODE.get(code) as Outage;

/** Errors that carry their meaning in words instead of a code. */
const WORDINGS: readonly [pattern: RegExp, code: string][] = [
  [/max number of clients/, "MAXCLIENTS"],
  [/^Too many Cluster redirections/, "REDIRECTED"],
  [/^ERR invalid password/, "WRONGPASS"],
  // How Redis 7.0.0 says READONLY about a function or a script.
  [/^ERR Can not run script with write flag on readonly replica/, "READONLY"],
  [/^ERR Function not found/, "NO_FUNCTION"],
  [/^ERR unknown command/, "NO_COMMAND"],
  // Only a loading transaction can be discarded here, and only for a right that is missing.
  [/^EXECABORT/, "NOPERM"],
];

/** A right that was missing inside the script: commands before that one were carried out. */
const NOPERM_INSIDE = /user executing the script can't|ACL failure in script/;

/** A script that ran while its slot moved, and stopped at the first key that was gone already. */
const TORN = /attempted to access a non local key in a cluster/;

/** Finds the outage that an error text of the server (or of ioredis about it) speaks of. */
export function outageIn(text: string): Outage | undefined {
  const code = /^[A-Z]+(?= |$)/.exec(text)?.[0];
  if (code !== undefined && BY_CODE.has(code)) return BY_CODE.get(code);
  const wording = WORDINGS.find(([pattern]) => pattern.test(text));
  if (wording !== undefined) return BY_CODE.get(wording[1]);
  if (NOPERM_INSIDE.test(text)) return { ...outage("NOPERM"), uncertain: true };
  if (TORN.test(text)) return { ...outage("TRYAGAIN"), uncertain: true };
  return undefined;
}

const CODES: ReadonlySet<string> = new Set(REFUSALS);

/** How to show a text of the server. */
type Redact = (text: string) => string;

/**
 * What a caller gets for an error reply: `Refused` from the core, `Unreachable` in an outage, and a
 * plain error for anything else, which is a bug. Passwords are removed from the message alone: one
 * that is a part of the server's words must not hide what they mean.
 *
 * The error of ioredis is never handed on: it carries the arguments of its command, and those of
 * AUTH are the password.
 */
export function errorFrom(text: string, writes = true, redact: Redact = (same) => same): Error {
  const code = /^[A-Z_]+(?= )/.exec(text)?.[0];
  if (code !== undefined && CODES.has(code)) {
    const refusal = refusalFrom(`${code} ${redact(text.slice(code.length + 1))}`);
    if (refusal !== undefined) return refusal;
  }
  const found = outageIn(text);
  if (found === undefined) return new Error(redact(text));
  const uncertain = writes && found.uncertain === true;
  return new Unreachable(found.code, sentence(found, redact(text)), { uncertain });
}

/** The error of a call whose script was removed each time after it had been loaded. */
export function scriptRemoved(times: number): Unreachable {
  const what = `Redis lost the qless script ${times} times in a row right after it was loaded`;
  return new Unreachable("NOSCRIPT", `${what}: find out what runs SCRIPT FLUSH, and stop it`);
}

const QUOTED = 200;

/** The advice, and the server's own words as far as they help. */
export function sentence(outage: Outage, text: string): string {
  const words = text.length > QUOTED ? `${text.slice(0, QUOTED)}...` : text;
  return `${outage.says}. Redis said: ${words}`;
}

/** The command that the ACL refused or the server does not know, in lower case: `fcall`. */
export function refusedCommand(text: string): string | undefined {
  const match = /^(?:NOPERM .*to run the|ERR unknown command) ['`]([^'`]+)['`]/.exec(text);
  return match?.[1]?.toLowerCase();
}

/** Why functions cannot be loaded here and now, while scripts may well work. */
const UNLOADABLE = new Set(["NOPERM", "NO_COMMAND", "NOSCRIPT", "OOM", "MISCONF", "NOREPLICAS"]);

/** Whether the library cannot be brought into Redis in this way, so that another is worth trying. */
export function isUnloadable(error: unknown): boolean {
  return error instanceof Unreachable && UNLOADABLE.has(error.code);
}
