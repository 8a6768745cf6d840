import type { Store } from "./store.ts";
import type { Reply } from "./text.ts";

/** The answer for one job of a batch: `OK` and a value, or a refusal's code and reason. */
export const answerOf = (value: string): Reply[] => ["OK", value];

export function refusedAnswer(store: Store, refusal: string): Reply[] {
  const [code, reason] = store.text.divide(refusal, " ");
  return [code!, reason!];
}
