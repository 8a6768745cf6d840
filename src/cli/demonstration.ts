import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEngine } from "../connect.ts";
import type { Engine } from "../engine.ts";

const say = (line = "") => process.stdout.write(`${line}\n`);

/** Shows a queue at work in the console: put, pop, complete, a dropped lock, statistics. */
export async function demonstrate(url?: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "qless-"));
  const engine = await openEngine(url ?? `sqlite:${join(folder, "jobs.db")}`, {
    namespace: "demo",
  });
  try {
    say(
      `A queue in ${url ?? "an SQLite file"}. The clock is set by hand, so nothing has to wait.\n`,
    );
    await ordinaryLife(engine, 0);
    await droppedLock(engine, 10);
    await numbers(engine, 100);
  } finally {
    await engine.close();
    rmSync(folder, { recursive: true });
  }
}

type Job = [jid: string, klass: string, queue: string, data: string, lease: string];

async function ordinaryLife(engine: Engine, at: number): Promise<void> {
  const when = { now: at * 1000 };
  for (const [jid, priority] of [
    ["invoice-1", 0],
    ["invoice-2", 0],
    ["urgent", -10],
  ] as const) {
    const data = JSON.stringify({ for: jid });
    const words = ["shop", "mail", jid, "mail.send", data, 0, "priority", priority];
    await engine.call("put", words, when);
    say(`put       ${jid} into mail, priority ${priority}`);
  }
  const [job] = (await engine.call("pop", ["mail", "worker-1", 1], { now: 1000 })) as Job[];
  say(`pop       worker-1 gets ${job![0]} under lease ${job![4]}: the lowest number goes first`);
  const done = ["complete", job![0], "worker-1", "mail", job![3], "lease", job![4]] as const;
  const [command, ...args] = done;
  say(`complete  ${job![0]} is ${await engine.call(command, args, { now: 3000 })}\n`);
}

async function droppedLock(engine: Engine, at: number): Promise<void> {
  const [job] = (await engine.call("pop", ["mail", "worker-1", 1], { now: at * 1000 })) as Job[];
  say(`pop       worker-1 gets ${job![0]} under lease ${job![4]}, and dies`);
  await engine.call("tick", [], { now: (at + 60) * 1000 });
  say("tick      a minute later its lock has expired: it is warned, and has ten seconds");
  const again = { now: (at + 71) * 1000 };
  const [taken] = (await engine.call("pop", ["mail", "worker-2", 1], again)) as Job[];
  say(`pop       worker-2 gets ${taken![0]} under lease ${taken![4]}`);
  const late = ["complete", job![0], "worker-1", "mail", "{}", "lease", job![4]] as const;
  const [command, ...args] = late;
  await engine.call(command, args, again).catch((refused: Error & { code: string }) => {
    say(`complete  worker-1 comes back too late: ${refused.code}, ${refused.message}`);
  });
  const finish = ["complete", taken![0], "worker-2", "mail", "{}", "lease", taken![4]] as const;
  await engine.call(finish[0], finish.slice(1), { now: (at + 75) * 1000 });
  say(`complete  worker-2 completes ${taken![0]}\n`);
}

interface Stage {
  count: number;
  mean: number;
  p95: number;
}

async function numbers(engine: Engine, at: number): Promise<void> {
  const now = { now: at * 1000 };
  const stats = JSON.parse((await engine.call("stats", ["mail", at], now)) as string);
  for (const [name, stage] of [
    ["waited", stats.wait],
    ["ran", stats.run],
  ] as [string, Stage][]) {
    say(`stats     ${stage.count} jobs ${name} ${stage.mean.toFixed(1)} s on average`);
  }
  const why = JSON.parse((await engine.call("explain", ["invoice-2"], now)) as string);
  const reasons = why.reasons.map(({ reason }: { reason: string }) => reason).join(", ");
  say(`explain   invoice-2 is ${why.state}${reasons === "" ? ", and next" : `: ${reasons}`}`);
  const check = JSON.parse((await engine.call("check", ["0"], now)) as string);
  say(`check     ${check.problems.length} disagreements between jobs and indexes`);
}
