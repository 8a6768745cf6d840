import type { Verb } from "../verb.ts";
import { bench } from "./bench.ts";
import { cancel, move, priority, retry, tag, unfail } from "./changing.ts";
import { check } from "./check.ts";
import { completion } from "./completion.ts";
import { configList, configSet, configUnset } from "./config.ts";
import { demo } from "./demo.ts";
import { doctor } from "./doctor.ts";
import { explain } from "./explain.ts";
import { exportVerb } from "./export.ts";
import { failed } from "./failed.ts";
import { get } from "./get.ts";
import { importVerb } from "./import.ts";
import { install } from "./install.ts";
import { jobs, peek, queues } from "./listing.ts";
import { depends, fail, timeout, track } from "./one-job.ts";
import { pause, unpause } from "./pausing.ts";
import { put } from "./put.ts";
import { recurCron, recurList, recurPut } from "./recur.ts";
import { recurDrop, recurNext, recurPause } from "./recur-changes.ts";
import { search } from "./search.ts";
import { serve } from "./serve.ts";
import { stats } from "./stats.ts";
import { tail } from "./tail.ts";
import { top } from "./top.ts";
import { work } from "./work.ts";
import { workers } from "./workers.ts";

/** Every verb there is, in the order of help. Program, completion, guide and tests go by it. */
export const VERBS: readonly Verb[] = [
  work,
  serve,
  demo,
  put,
  get,
  peek,
  queues,
  jobs,
  search,
  explain,
  cancel,
  move,
  retry,
  fail,
  unfail,
  priority,
  tag,
  track,
  depends,
  timeout,
  pause,
  unpause,
  failed,
  stats,
  workers,
  recurList,
  recurPut,
  recurCron,
  recurPause,
  recurNext,
  recurDrop,
  configList,
  configSet,
  configUnset,
  check,
  tail,
  top,
  exportVerb,
  importVerb,
  install,
  doctor,
  bench,
  completion,
];

/** Verbs of two words, by the first; alone, it stands for the first of its verbs. */
export const FAMILIES: Readonly<Record<string, string>> = {
  recur: "Jobs that are put again and again.",
  config: "Settings of the namespace and of its queues.",
};
