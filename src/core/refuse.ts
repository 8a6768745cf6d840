/** Every code a command may be refused with. docs/protocol.md explains each. */
export const REFUSALS = [
  "BAD_ARGUMENT",
  "UNKNOWN_COMMAND",
  "NO_SUCH_JOB",
  "NO_SUCH_RECURRING",
  "NOT_RUNNING",
  "NOT_DEPENDING",
  "LOCK_LOST",
  "WRONG_QUEUE",
  "PAST_CUTOFF",
  "ALREADY_COMPLETE",
  "HAS_DEPENDENTS",
  "CYCLE",
  "NEWER_LAYOUT",
] as const;

export type Refusal = (typeof REFUSALS)[number];

/**
 * Ends the command without effect. The code is the contract; the reason is for people.
 *
 * Redis does not undo the writes of a failed script, so a command refuses before it writes.
 */
export function refuse(code: Refusal, reason: string): never {
  throw { err: code + " " + reason };
}

/** Refuses what a judgement found, if it found anything. */
export function refuseIf(refusal: string | undefined): void {
  if (refusal !== undefined) throw { err: refusal };
}
