import type { Store } from "./store.ts";
import type { Reply } from "./text.ts";

/**
 * What an argument may be. All travel as text; these say how it is read and what is refused.
 *
 * name: something's name. jid: a job's. lease: a number that is compared as text. text: any text.
 * json: any text, meant to be JSON (the core does not look). integer: as it says. whole: an
 * integer, 0 or more. count: a whole number, cut to 10,000. seconds: a duration, read as
 * milliseconds. time: a moment in seconds, read as milliseconds. priority: a number within bounds.
 * fraction: from 0 to 1. flag: 0 or 1. list: a JSON array of names. names: all further arguments,
 * each a name. rest: the list of all words, of which those that are meant begin one behind the
 * place of the argument.
 */
export type Kind =
  | "name"
  | "jid"
  | "lease"
  | "text"
  | "json"
  | "integer"
  | "whole"
  | "count"
  | "seconds"
  | "time"
  | "priority"
  | "fraction"
  | "flag"
  | "list"
  | "names"
  | "rest";

type Value<K extends Kind> = K extends "name" | "jid" | "lease" | "text" | "json"
  ? string
  : K extends "list"
    ? readonly string[]
    : K extends "names" | "rest"
      ? string[]
      : number;

/** An argument's name and kind; the third part marks one that may be left out or empty. */
export type Param = readonly [name: string, kind: Kind] | readonly [name: string, kind: Kind, "?"];

/** The positional arguments as they are read, in their order. */
export type Positional<T extends readonly Param[]> = {
  -readonly [I in keyof T]: T[I] extends readonly [string, infer K extends Kind, "?"]
    ? Value<K> | undefined
    : T[I] extends readonly [string, infer K extends Kind]
      ? Value<K>
      : never;
};

/** The options that were given, by name. */
export type Options<O extends readonly Param[]> = {
  [A in O[number] as A[0]]?: Value<A[1]> | undefined;
};

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
  /**
   * Whether it sees from what it reads anyway that the data is ours. Before the others run, the
   * namespace's record is read.
   */
  judgesLayout?: true | undefined;
  run(store: Store, now: number, args: Positional<T>, options: Options<O>): Reply;
}

/** Gives back what it is given; through it the compiler learns the types of the arguments. */
export function command<const T extends readonly Param[], const O extends readonly Param[]>(
  declared: Command<T, O>,
): Command<T, O> {
  return declared;
}
