import { Refused } from "../engine.ts";
import type { Caller } from "./auth.ts";
import { HttpError } from "./errors.ts";
import type { Call } from "./route.ts";

/**
 * Puts of callers that have the role `put` and neither `work` nor `admin`: they create jobs and
 * leave existing ones alone. The core judges that in the step that puts the job; here an attempt
 * becomes an answer and an entry in the audit log.
 */

export const createsOnly = ({ roles }: Caller) =>
  !roles.includes("work") && !roles.includes("admin");

/** The answer to an attempt to touch an existing job; undefined for any other error. */
export function denialOf(error: unknown): HttpError | undefined {
  if (!(error instanceof Refused) || error.code !== "NOT_PERMITTED") return undefined;
  const message = `${error.message}, or use a token with the role work or admin`;
  return new HttpError(403, error.code, message);
}

/** What an attempt was about. */
export interface Attempt {
  jid?: string | undefined;
  queue?: string | undefined;
  /** How many jobs were denied. */
  count: number;
}

export async function noteDenial(
  { client, caller, site }: Pick<Call, "client" | "caller" | "site">,
  { jid, queue, count }: Attempt,
  denial: HttpError,
): Promise<void> {
  const deed = { action: "put denied", to: jid, queue, count, reason: denial.message };
  await site.audit.note(client, caller, deed);
}

/** Does a put; notes and denies it if the caller may not do it. */
export async function putPermitted<Result>(
  call: Pick<Call, "client" | "caller" | "site">,
  attempt: Attempt,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const denial = denialOf(error);
    if (denial === undefined) throw error;
    await noteDenial(call, attempt, denial);
    throw denial;
  }
}
