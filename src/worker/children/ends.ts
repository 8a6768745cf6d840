import { QlessError } from "../../engine.ts";
import type { RunAborted } from "../aborting.ts";
import type { Outcome } from "../outcome.ts";
import { retried } from "../outcome.ts";
import type { ErrorFacts } from "./messages.ts";
import type { End } from "./vehicle.ts";

/** Where these were found out is of no interest to anybody, so their stacks are their messages. */

/** An error of which it is decided already what it comes to. */
export abstract class Decided extends Error {
  abstract readonly outcome: Outcome;
}

/** What a handler threw in a child, which also knew what is to become of the job. */
export class ThrownElsewhere extends Decided {
  readonly outcome: Outcome;

  constructor(outcome: Outcome, { name, message, stack }: ErrorFacts) {
    super(message);
    this.name = name;
    this.outcome = outcome;
    if (stack !== undefined) this.stack = stack;
  }
}

/** The child was ended because of another job, or of a stop: this one is given back as it was. */
export class Displaced extends Decided {
  readonly outcome = retried({ delay: 0, spend: false });

  constructor() {
    super("Its process was ended for a reason that is not the job's: it is given back");
    this.name = "Displaced";
  }
}

/** The run was to end and did not, so that its child was ended. */
export class Killed extends QlessError {
  constructor({ code, message }: RunAborted) {
    super(code, `${message}. It did not heed its signal, so its process was ended`);
    this.stack = this.message;
  }
}

/** The child that ran the job came to an end, and nobody had asked it to. */
export class Crashed extends QlessError {
  constructor({ how, last }: End) {
    const said = last.trim() === "" ? "" : `; the last that it wrote:\n${last.trim()}`;
    super("CRASHED", `The process that ran it ended ${how}${said}`);
    this.stack = this.message;
  }
}

/** What to tell of a child that ended, where it is not about a job. */
export function deathOf({ how, last }: End): Error {
  const line = last.trim().split("\n").at(-1)!.trim();
  const said = line === "" ? "" : `; it last wrote: ${line}`;
  return new QlessError("CHILD_ENDED", `A child for jobs ended ${how}${said}`);
}
