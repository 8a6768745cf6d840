import type { Deed } from "./audit.ts";
import type { Call } from "./route.ts";

/** Does what an operator asks for, and notes it once it is done. */
export async function operate<Result>(
  { client, caller, site }: Pick<Call, "client" | "caller" | "site">,
  deed: Deed,
  work: () => Promise<Result>,
): Promise<Result> {
  const result = await work();
  await site.audit.note(client, caller, deed);
  return result;
}
