import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { lengthOf } from "./moments.ts";

/** What doctor found about one thing, and what to do where it is not well. */
export interface Finding {
  about: string;
  state: "ok" | "warning" | "bad";
  told: string;
  todo?: string;
}

type Facts = Readonly<Record<string, string | undefined>>;

/** What was measured from outside. */
export interface Measured {
  latencies: readonly number[];
  /** How far the engine's clock is ahead of this machine's. */
  skewMs: number;
  version: string;
}

/** Milliseconds that a call may take, and clocks may differ, without a word about it. */
const SLOW_MS = 20;
const SKEW_MS = 1000;
/** Part of the memory that may be in use, and bytes of disk that should be free. */
const FULL = 0.9;
const ROOM = 200_000_000;

/** Everything that can be said of a place where jobs are kept. */
export function diagnosis(facts: Facts, measured: Measured): Finding[] {
  const own = facts.sqlite_version === undefined ? ofRedis(facts, measured) : ofFile(facts);
  return [...own, latency(measured), clock(measured)];
}

const ok = (about: string, told: string): Finding => ({ about, state: "ok", told });
const warning = (about: string, told: string, todo: string): Finding => ({
  about,
  state: "warning",
  told,
  todo,
});
const bad = (about: string, told: string, todo: string): Finding => ({
  about,
  state: "bad",
  told,
  todo,
});

function latency({ latencies }: Measured): Finding {
  const sorted = latencies.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const told = `a call takes ${median.toFixed(1)} ms, at most ${(sorted.at(-1) ?? 0).toFixed(1)} ms`;
  if (median <= SLOW_MS) return ok("latency", told);
  return warning("latency", told, "be nearer to it, or find out what keeps it busy");
}

function clock({ skewMs }: Measured): Finding {
  const far = Math.abs(skewMs);
  const told = `the engine's clock differs from this one by ${lengthOf(far)}`;
  if (far <= SKEW_MS) return ok("clock", told);
  return warning("clock", told, "set both by NTP: jobs are due by the engine's clock");
}

function ofRedis(facts: Facts, { version }: Measured): Finding[] {
  return [
    ok("server", `Redis ${facts.redis_version ?? "of unknown version"}`),
    role(facts),
    library(facts, version),
    persistence(facts),
    lastWrites(facts),
    eviction(facts),
    memory(facts),
  ];
}

function role({ role: is }: Facts): Finding {
  if (is !== "slave") return ok("role", is === undefined ? "not to be seen" : "primary");
  return bad("role", "a replica: nothing can be changed here", "use the address of the primary");
}

function library({ mode, library: there = "" }: Facts, version: string): Finding {
  if (mode === "scripts") {
    const todo = "permit functions: see qless install for the rights";
    return warning("library", "scripts, since functions are not permitted: slower", todo);
  }
  const [found = ""] = there.split(" ");
  if (found === version) return ok("library", `functions of version ${found}`);
  const told = `functions of version ${found}, and this is ${version}`;
  return warning("library", told, "update whichever is older, so that all are of one version");
}

function persistence(facts: Facts): Finding {
  const isLogged = (facts.appendonly ?? (facts.aof_enabled === "1" ? "yes" : "no")) === "yes";
  const fsync = facts.appendfsync ?? "unknown";
  if (isLogged && fsync !== "no") return ok("persistence", `append-only file, fsync ${fsync}`);
  if (isLogged) {
    return warning("persistence", "append-only file, fsync no", "set appendfsync to everysec");
  }
  const todo = "set appendonly to yes";
  if (facts.save === undefined || facts.save === "") {
    return bad("persistence", "none: a restart loses every job", todo);
  }
  const told = `snapshots alone (${facts.save}): a crash loses what came after the last`;
  return warning("persistence", told, todo);
}

function lastWrites(facts: Facts): Finding {
  const { rdb_last_bgsave_status: snapshot = "ok", aof_last_write_status: log = "ok" } = facts;
  if (snapshot === "ok" && log === "ok") return ok("disk", "the last writes went well");
  const told = `the last ${log === "ok" ? "snapshot" : "write"} to disk went wrong`;
  return bad("disk", told, "look into the server's log, and whether its disk is full");
}

function eviction(facts: Facts): Finding {
  const policy = facts["maxmemory-policy"] ?? facts.maxmemory_policy;
  if (policy === undefined) return ok("eviction", "not to be seen");
  if (policy === "noeviction") return ok("eviction", policy);
  const told = `${policy}: jobs are thrown away when memory is short`;
  return bad("eviction", told, "set maxmemory-policy to noeviction");
}

function memory(facts: Facts): Finding {
  const used = Number(facts.used_memory ?? 0);
  const most = Number(facts.maxmemory ?? 0);
  if (most === 0) {
    const told = `${sizeOf(used)} in use, without a limit`;
    return warning("memory", told, "set maxmemory below the machine's, so that put fails in time");
  }
  const told = `${sizeOf(used)} of ${sizeOf(most)} in use`;
  if (used / most < FULL) return ok("memory", told);
  return bad("memory", told, "give it more, or let workers catch up: soon no job can be put");
}

function ofFile(facts: Facts): Finding[] {
  const { sqlite_version, file = "", journal_mode = "", synchronous, bytes } = facts;
  const found = [
    ok("engine", `SQLite ${sqlite_version}`),
    ok("file", `${file}, ${sizeOf(Number(bytes))}`),
    synchronous === "2" || synchronous === "3"
      ? ok("persistence", "on disk before a call is answered")
      : bad("persistence", "a power cut may lose jobs", "open it with synchronous full"),
  ];
  if (file === ":memory:") return found;
  const journal =
    journal_mode === "wal"
      ? ok("journal", "write-ahead log")
      : warning("journal", journal_mode, "keep the file on a local disk, not on a network's");
  return [...found, journal, disk(file)];
}

function disk(file: string): Finding {
  const { bavail, bsize } = statfsSync(dirname(file));
  const free = bavail * bsize;
  const told = `${sizeOf(free)} of its disk are free`;
  return free >= ROOM ? ok("disk", told) : bad("disk", told, "make room: a full disk stops all");
}

/** Bytes as people read them. */
export function sizeOf(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let size = bytes;
  let unit = 0;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? size : size.toFixed(1)} ${units[unit]}`;
}
