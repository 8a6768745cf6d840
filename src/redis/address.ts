import type { RedisOptions } from "ioredis";
import { Invalid } from "../engine.ts";

/** The parts of a URL that ioredis wants; its own reading would let a query undo our settings. */
export function addressFrom(source: string): RedisOptions {
  try {
    return addressIn(new URL(source));
  } catch {
    // Not the error of URL or of decoding, which quotes the text and with it the password.
    throw new Invalid(
      "BAD_ARGUMENT",
      "The URL is not redis://[user:password@]host[:port][/database]",
    );
  }
}

function addressIn(url: URL): RedisOptions {
  const database = url.pathname.slice(1);
  if (!/^rediss?:$/.test(url.protocol) || !/^\d*$/.test(database)) throw new Error("not ours");
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1") || "127.0.0.1",
    port: Number(url.port || 6379),
    db: Number(database),
    ...(url.username === "" ? {} : { username: decodeURIComponent(url.username) }),
    ...(url.password === "" ? {} : { password: decodeURIComponent(url.password) }),
    ...(url.protocol === "rediss:" ? { tls: {} } : {}),
  };
}
