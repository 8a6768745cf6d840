/**
 * The moment from which the current call hands out no jobs, in milliseconds; infinity if it has no
 * deadline. The network may deliver a request after its worker has given it up, and nobody would run
 * what such a request takes.
 */
export const deadline = { at: Infinity };

/** Whether the call came too late to take jobs. */
export const isLate = (now: number) => now >= deadline.at;
