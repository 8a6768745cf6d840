/** Jobs that one pop, peek or listing may ask for. */
export const MAX_COUNT = 10000;
/** Jobs in one put.many, heartbeat.many, finish, move, or another command for many jobs. */
export const MAX_BATCH = 1000;
/** Names in one list: jids to cancel, tags, dependencies, queues. */
export const MAX_LIST = 10000;
/** Tags times jobs in one tag.many. */
export const MAX_TAGGINGS = 10000;
/** Jobs and rankings that one search looks at. */
export const SEARCH_SLICE = 1000;
/** Groups of failures that one search goes through. */
export const SEARCH_GROUPS = 1000;
/** Groups of failures that one call of failures tells, jobs of each that it looks at, and bytes of a line. */
export const FAILURE_GROUPS = 100;
export const FAILURE_SAMPLE = 10;
export const FAILURE_LINE = 4096;
/** Jobs that one call promotes, spawns or takes from dead workers on the side. */
export const SLICE = 100;
/** Dependents that one completion releases at once. Pops and tick go on with the rest. */
export const RELEASE_SLICE = 500;
/**
 * Completed jobs that one completion removes when they are too old or too many; more than come
 * between two looks.
 */
export const PRUNE_SLICE = 100;
/** Jobs and dependencies that the search for a cycle may follow. */
export const MAX_VISITS = 30000;
/** Request ids that are remembered at most. */
export const MAX_REQUESTS = 100000;
/** How long a request id is remembered at least, unless there are too many. */
export const REQUEST_MS = 600000;
/** Bytes of a failure message, a log message or a log's data. */
export const MAX_MESSAGE = 1048576;
/** Bytes of a job's data. */
export const MAX_DATA = 67108864;
/** Bytes of the context that travels with a job. */
export const MAX_CONTEXT = 4096;
/** Seconds that a delay, an interval or a setting may last: 31 years. */
export const MAX_SECONDS = 1000000000;
/** The latest time there is, so that places stay below 2^52: the year 2109. */
export const MAX_TIME_MS = 4398046511103;
/** Priorities go from minus this to this, in steps of a ten-thousandth. */
export const MAX_PRIORITY = 1000000000;
/** Milliseconds between two notes that a worker was seen, so that idle polls write nothing. */
export const SEEN_MS = 1000;
/** Workers that one call wakes in one queue. */
export const MAX_WOKEN = 100;
/** Bytes of what a worker says of itself, or a note of what was done. */
export const MAX_FACTS = 8192;
/** Bytes of what a run says of how far it is. */
export const MAX_CHECKIN = 4096;
/** Bytes of the reason for a pause. */
export const MAX_REASON = 1024;
/** Missed ticks of a schedule that may be made up for. */
export const MAX_BACKLOG = 1000;
/** Fields and members that one dump tells, and bytes from which on it tells no more. */
export const DUMP_SLICE = 1000;
export const DUMP_BYTES = 1048576;
