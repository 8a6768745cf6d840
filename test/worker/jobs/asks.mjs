/** Tells where it runs and what it can reach. */
import { readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { threadId } from "node:worker_threads";

export default async (job, context) => {
  const before = readdirSync(tmpdir());
  writeFileSync(`${tmpdir()}/left-behind`, "");
  context.log.info({ said: job.data }, "Asked");
  const { jid } = await context.client.queue("other").put("from-child", { by: job.jid });
  await context.checkin("half way", 0.5);
  return {
    pid: process.pid,
    thread: threadId,
    folder: process.cwd(),
    temporary: tmpdir(),
    before,
    env: process.env,
    put: jid,
    lease: context.lease,
  };
};
