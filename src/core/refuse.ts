/** Every code a command may be refused with. docs/protocol.md explains each. */
export const REFUSALS = [
  "BAD_ARGUMENT",
  "UNKNOWN_COMMAND",
  "NO_SUCH_JOB",
  "NO_SUCH_RECURRING",
  "NO_SUCH_SCHEDULE",
  "JID_TAKEN",
  "NOT_PERMITTED",
  "NOT_RUNNING",
  "NOT_DEPENDING",
  "LOCK_LOST",
  "WRONG_QUEUE",
  "PAST_CUTOFF",
  "ALREADY_COMPLETE",
  "HAS_DEPENDENTS",
  "CYCLE",
  "NEWER_LAYOUT",
  "FOREIGN_LAYOUT",
  "DAMAGED_KEY",
] as const;

export type Refusal = (typeof REFUSALS)[number];

/**
 * Says no, and with that the command is over. Programs go by the code, people by the reason.
 *
 * Whatever a script has written when it raises stays in Redis, so all refusing is done first.
 */
export function refuse(code: Refusal, reason: string): never {
  return refuseWith(code + " " + reason);
}

/** As `refuse`, with code and reason in one text, as judgements have them. */
export function refuseWith(refusal: string): never {
  throw { err: refusal };
}

/** Refuses what a judgement found, if it found anything. */
export function refuseIf(refusal: string | undefined): void {
  if (refusal !== undefined) refuseWith(refusal);
}
