export { type Token, tokensFrom } from "./auth.ts";
export type { HttpOptions } from "./options.ts";
export { type QlessHttpOptions, qlessHttp } from "./plugin.ts";
export type { Role } from "./route.ts";
export { DEFAULT_PORT, requestListener, type Served, type ServeOptions, serve } from "./server.ts";
