/** What Redis offers to Lua. */

/** @noSelf */
declare namespace redis {
  // biome-ignore lint/suspicious/noExplicitAny: each command answers in its own way.
  function call(command: string, ...args: (string | number)[]): any;
  function error_reply(message: string): unknown;
}

/** @noSelf */
declare namespace cjson {
  function decode(text: string): unknown;
  function encode(value: unknown): string;
}

/** @noSelf */
declare namespace cmsgpack {
  function pack(value: unknown): string;
  function unpack(text: string): unknown;
}
