/** What Redis offers to Lua. */

/** @noSelf */
declare namespace redis {
  // biome-ignore lint/suspicious/noExplicitAny: each command answers in its own way.
  function call(command: string, ...words: (string | number)[]): any;
  /** As `call`, but answers a refusal as a table. */
  function pcall(command: string, ...words: (string | number)[]): unknown;
  function error_reply(sentence: string): unknown;
}

/** @noSelf */
declare namespace cjson {
  function decode(json: string): unknown;
  function encode(value: unknown): string;
}

/** @noSelf */
declare namespace cmsgpack {
  function pack(value: unknown): string;
  function unpack(text: string): unknown;
}
