import { requestKey, requestsKey } from "./keys.ts";
import { MAX_REQUESTS, REQUEST_MS } from "./limits.ts";
import { until } from "./ranges.ts";
import type { Store } from "./store.ts";
import type { Reply } from "./text.ts";

/** The answer that this request got the first time, packed; false when it is new. */
export function recallAnswer(store: Store, request: string): string | false {
  return store.field(requestKey(request), "answer");
}

/** Remembers a request's answer, forgetting the oldest when there are too many. */
export function rememberAnswer(store: Store, now: number, request: string, answer: Reply): void {
  store.set(requestKey(request), ["answer", store.text.pack(answer)]);
  store.rank(requestsKey(), [now, request]);
  if (store.size(requestsKey()) > MAX_REQUESTS) forget(store, store.lowest(requestsKey(), 0, 2));
}

/** Forgets up to `count` requests that are older than they need be; returns how many. */
export function forgetOldRequests(store: Store, now: number, count: number): number {
  const old = store.between(requestsKey(), until(now - REQUEST_MS), 0, count);
  forget(store, old);
  return old.length;
}

function forget(store: Store, requests: string[]): void {
  const keys: string[] = [];
  for (const request of requests) keys.push(requestKey(request));
  store.remove(keys);
  store.unrank(requestsKey(), requests);
}
