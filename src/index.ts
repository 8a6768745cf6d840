export { type ConnectOptions, connect } from "./connect.ts";
export type { Announcement, CallOptions, CommandName, Engine, Reply } from "./engine.ts";
export { Refused, Unreachable } from "./engine.ts";
