import { cancel } from "./cancel.ts";
import { cancelMany } from "./cancel-many.ts";
import { check } from "./check.ts";
import { checkin } from "./checkin.ts";
import { complete } from "./complete.ts";
import { configGet } from "./config-get.ts";
import { configSet } from "./config-set.ts";
import { configUnset } from "./config-unset.ts";
import { cronDrop } from "./cron-drop.ts";
import { cronDue } from "./cron-due.ts";
import { cronFire } from "./cron-fire.ts";
import { cronGet } from "./cron-get.ts";
import { cronList } from "./cron-list.ts";
import { cronPause } from "./cron-pause.ts";
import { cronPut } from "./cron-put.ts";
import { cronUnpause } from "./cron-unpause.ts";
import { depends } from "./depends.ts";
import { dump } from "./dump.ts";
import { explain } from "./explain.ts";
import { fail } from "./fail.ts";
import { failed } from "./failed.ts";
import { failures } from "./failures.ts";
import { finish } from "./finish.ts";
import { get } from "./get.ts";
import { heartbeat } from "./heartbeat.ts";
import { heartbeatMany } from "./heartbeat-many.ts";
import { jobs } from "./jobs.ts";
import { layout } from "./layout.ts";
import { length } from "./length.ts";
import { log } from "./log.ts";
import { move } from "./move.ts";
import { multiget } from "./multiget.ts";
import { note } from "./note.ts";
import { pause } from "./pause.ts";
import { peek } from "./peek.ts";
import { pop } from "./pop.ts";
import { priority } from "./priority.ts";
import { priorityMany } from "./priority-many.ts";
import { put } from "./put.ts";
import { putMany } from "./put-many.ts";
import { queueForget } from "./queue-forget.ts";
import { queuePause } from "./queue-pause.ts";
import { queues } from "./queues.ts";
import { recur } from "./recur.ts";
import { recurGet } from "./recur-get.ts";
import { recurPause } from "./recur-pause.ts";
import { recurTag } from "./recur-tag.ts";
import { recurUnpause } from "./recur-unpause.ts";
import { recurUntag } from "./recur-untag.ts";
import { recurUpdate } from "./recur-update.ts";
import { requeue } from "./requeue.ts";
import { restore } from "./restore.ts";
import { retry } from "./retry.ts";
import { search } from "./search.ts";
import { stats } from "./stats.ts";
import { tag } from "./tag.ts";
import { tagMany } from "./tag-many.ts";
import { tick } from "./tick.ts";
import { timeout } from "./timeout.ts";
import { track } from "./track.ts";
import { unfail } from "./unfail.ts";
import { uniqueFree } from "./unique-free.ts";
import { uniqueGet } from "./unique-get.ts";
import { unpause } from "./unpause.ts";
import { unrecur } from "./unrecur.ts";
import { wait } from "./wait.ts";
import { workerDeregister } from "./worker-deregister.ts";
import { workerPresent } from "./worker-present.ts";
import { workers } from "./workers.ts";

/**
 * The commands by name. The house test sees to it that none lacks a test or a section of the
 * protocol.
 */
export const commands = {
  cancel,
  "cancel.many": cancelMany,
  check,
  checkin,
  complete,
  "config.get": configGet,
  "config.set": configSet,
  "config.unset": configUnset,
  "cron.drop": cronDrop,
  "cron.due": cronDue,
  "cron.fire": cronFire,
  "cron.get": cronGet,
  "cron.list": cronList,
  "cron.pause": cronPause,
  "cron.put": cronPut,
  "cron.unpause": cronUnpause,
  depends,
  dump,
  explain,
  fail,
  failed,
  failures,
  finish,
  get,
  heartbeat,
  "heartbeat.many": heartbeatMany,
  jobs,
  layout,
  length,
  log,
  move,
  multiget,
  note,
  pause,
  peek,
  pop,
  priority,
  "priority.many": priorityMany,
  put,
  "put.many": putMany,
  "queue.forget": queueForget,
  "queue.pause": queuePause,
  queues,
  recur,
  "recur.get": recurGet,
  "recur.pause": recurPause,
  "recur.tag": recurTag,
  "recur.unpause": recurUnpause,
  "recur.untag": recurUntag,
  "recur.update": recurUpdate,
  requeue,
  restore,
  retry,
  search,
  stats,
  tag,
  "tag.many": tagMany,
  tick,
  timeout,
  track,
  unfail,
  "unique.free": uniqueFree,
  "unique.get": uniqueGet,
  unpause,
  unrecur,
  wait,
  "worker.deregister": workerDeregister,
  "worker.present": workerPresent,
  workers,
};
