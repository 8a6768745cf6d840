import type { ServerInfo } from "./shapes.ts";
import { Store } from "./store.ts";

/** Who is looking, and what they may do. */

const KEY = "qless-token";

/** What the server said of itself and of us; undefined until it did. */
export const server = new Store<ServerInfo | undefined>(undefined);

/** Set while the server wants a token that it has not been given: the sentence to show. */
export const wantsToken = new Store<string | undefined>(undefined);

/** Storage may be forbidden; then a token lasts as long as the page. */
function stored(kind: "localStorage" | "sessionStorage"): Storage | undefined {
  try {
    return window[kind];
  } catch {
    return undefined;
  }
}

let token =
  stored("sessionStorage")?.getItem(KEY) ?? stored("localStorage")?.getItem(KEY) ?? undefined;

export const currentToken = () => token;

/** Keeps the token for this tab, or on this machine. */
export function keepToken(given: string, remember: boolean): void {
  token = given;
  stored("sessionStorage")?.setItem(KEY, given);
  if (remember) stored("localStorage")?.setItem(KEY, given);
}

export function forgetToken(): void {
  token = undefined;
  stored("sessionStorage")?.removeItem(KEY);
  stored("localStorage")?.removeItem(KEY);
}

/** Whether the server would let us; what nobody may do is not shown. */
export function may(role: "read" | "put" | "work" | "admin"): boolean {
  const roles = server.value?.caller.roles ?? [];
  return roles.includes("admin") || roles.includes(role);
}
