import type { Verb } from "../verb.ts";
import { cancel, move, priority, retry, tag, unfail } from "./changing.ts";
import { explain } from "./explain.ts";
import { get } from "./get.ts";
import { jobs, peek, queues } from "./listing.ts";
import { depends, fail, timeout, track } from "./one-job.ts";
import { pause, unpause } from "./pausing.ts";
import { put } from "./put.ts";
import { search } from "./search.ts";
import { work } from "./work.ts";

/** Every verb there is, in the order of help. Program, completion, guide and tests go by it. */
export const VERBS: readonly Verb[] = [
  work,
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
];

/** Verbs of two words, by the first; alone, it stands for the first of its verbs. */
export const FAMILIES: Readonly<Record<string, string>> = {};
