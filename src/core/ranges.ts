import type { Range } from "./store.ts";

/** All scores up to this one. A lock may expire before the epoch: tests set small times. */
export const until = (max: number): Range => ({ min: -Infinity, max });

/** All whole scores above this one. */
export const after = (min: number): Range => ({ min: min + 1, max: Infinity });
