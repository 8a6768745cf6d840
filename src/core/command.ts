import type { Store } from "./store.ts";
import type { Reply } from "./text.ts";

/**
 * What an argument may be. All travel as text; these say how it is read and what is refused.
 *
 * name: something's name. text: any text. json: any text, meant to be JSON (the core does not look).
 * number, integer: as they say. count: 0 to 10,000. seconds: a duration, read as milliseconds. time:
 * a moment in seconds, read as milliseconds. priority: a number within bounds. flag: 0 or 1.
 * list: a JSON array of names. names: all further arguments, each a name. rest: all further
 * arguments as they are.
 */
export type Kind =
  | "name"
  | "text"
  | "json"
  | "number"
  | "integer"
  | "count"
  | "seconds"
  | "time"
  | "priority"
  | "flag"
  | "list"
  | "names"
  | "rest";

type Value<K extends Kind> = K extends "name" | "text" | "json"
  ? string
  : K extends "list" | "names" | "rest"
    ? string[]
    : number;

/** An argument's name and kind; the third part marks one that may be left out or empty. */
export type Param = readonly [name: string, kind: Kind] | readonly [name: string, kind: Kind, "?"];

type Required<P extends readonly Param[]> = {
  [A in P[number] as A extends readonly [infer N extends string, Kind] ? N : never]: Value<A[1]>;
};
type Optional<P extends readonly Param[]> = {
  [A in P[number] as A extends readonly [infer N extends string, Kind, "?"] ? N : never]?:
    | Value<A[1]>
    | undefined;
};
type Options<P extends readonly Param[]> = { [A in P[number] as A[0]]?: Value<A[1]> | undefined };

export type Args<T extends readonly Param[], O extends readonly Param[]> = Required<T> &
  Optional<T> &
  Options<O>;

/** What kind of reply a command gives; docs/protocol.md says more for each. */
export type Gives = "json" | "text" | "integer" | "texts" | "nothing" | "jobs" | "answers";

/**
 * A verb of the core: what it takes, what it gives, whether it writes, and what it does.
 *
 * @noSelf
 */
export interface Command<
  T extends readonly Param[] = readonly Param[],
  O extends readonly Param[] = readonly Param[],
> {
  /** What its refusals begin with on the legacy entry. */
  says: string;
  /** Arguments by position. */
  takes: T;
  /** Arguments behind them as `name value` pairs, in any order, all optional. */
  options: O;
  gives: Gives;
  writes: boolean;
  /** Whether it may run when memory is short, since it finishes work or frees memory. */
  frees: boolean;
  run(store: Store, now: number, args: Args<T, O>): Reply;
}

/** Declares a command; it only helps the compiler infer the arguments from the declaration. */
export function command<const T extends readonly Param[], const O extends readonly Param[]>(
  declared: Command<T, O>,
): Command<T, O> {
  return declared;
}
