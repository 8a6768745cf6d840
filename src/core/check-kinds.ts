import { type Findings, found } from "./check-findings.ts";
import { damageOf, expectedAt } from "./damage.ts";
import { namespaceKey, namespacePrefix } from "./keys.ts";
import type { Store } from "./store.ts";

/** Keys that one step looks at: to ask for the type of a key costs little. */
const WALKED = 1000;

/** Where the walk goes on, and whether a damaged key was found that is still there. */
export interface Kinds {
  cursor: string;
  isDamaged: boolean;
}

/**
 * Checks that the next keys hold what their names say. It comes before everything else in a check,
 * because reading a key as what it is not ends the call.
 */
export function checkKinds(store: Store, findings: Findings, cursor: string): Kinds {
  const walked = store.keys(namespacePrefix(), cursor, WALKED);
  let isDamaged = cursor === "0" && checkKind(store, findings, namespaceKey());
  for (const key of walked.keys) if (checkKind(store, findings, key)) isDamaged = true;
  return { cursor: walked.cursor, isDamaged };
}

/** Returns whether the key is damaged and stays so. */
function checkKind(store: Store, findings: Findings, key: string): boolean {
  const damage = damageOf(store, key);
  if (damage === "") return false;
  if (!found(store, findings, key, "the key " + damage)) return true;
  store.mend(key, expectedAt(store, key)!);
  return false;
}
