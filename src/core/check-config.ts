import { type Findings, found, isLease } from "./check-findings.ts";
import { hasOwnSettings, judgeSetting, queueOfSetting } from "./config.ts";
import { configKey, namespaceKey, queueKey } from "./keys.ts";
import type { Store } from "./store.ts";

/**
 * Checks that settings have values they can have, and that the queues they are about know of them.
 */
export function checkConfig(store: Store, findings: Findings): void {
  const flat = store.all(configKey());
  for (let i = 0; i < flat.length; i += 2) {
    const option = flat[i]!;
    findings.checked += 1;
    if (judgeSetting(store, option, flat[i + 1]!) !== undefined) {
      if (found(store, findings, option, "the setting has a value that it cannot have")) {
        unsetOption(store, option);
      }
    }
    for (const queue of queueOfSetting(store, option)) checkTold(store, findings, queue);
  }
}

function unsetOption(store: Store, option: string): void {
  store.unset(configKey(), [option]);
  for (const queue of queueOfSetting(store, option)) {
    if (!hasOwnSettings(store, queue)) store.unset(queueKey(queue), ["own"]);
  }
}

/** A queue that has nothing but settings is not come by in any other way. */
function checkTold(store: Store, findings: Findings, queue: string): void {
  if (store.exists(queueKey(queue)) || !hasOwnSettings(store, queue)) return;
  if (found(store, findings, queue, "the queue does not know whether it has settings")) {
    store.set(queueKey(queue), ["own", "1", "more", "1"]);
  }
}

/** Checks that leases can be counted. */
export function checkNamespace(store: Store, findings: Findings): void {
  const lease = store.field(namespaceKey(), "lease");
  if (lease === false || isLease(store, lease)) return;
  if (found(store, findings, namespaceKey(), "its count of leases cannot be read")) {
    store.set(namespaceKey(), ["lease", "0"]);
  }
}
