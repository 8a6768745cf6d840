export { type ConnectOptions, connect } from "./connect.ts";
export type { CallOptions, CommandName, Engine, Reply } from "./engine.ts";
export { Refused, Unavailable } from "./engine.ts";
