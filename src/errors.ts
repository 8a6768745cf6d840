/**
 * What can go wrong, as classes that a program can tell apart. Each has a `code` that stays the
 * same from version to version and a sentence that says what to do; only the sentence may change.
 */
export class QlessError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
  }
}

/** A command that was refused; nothing was changed. */
export class Refused extends QlessError {}

/** Refused because the worker no longer holds the job: somebody else may be running it by now. */
export class LostLock extends Refused {}

/** Refused because there is no such job, recurring job or schedule. */
export class NoSuchJob extends Refused {}

/** Refused because the jid is taken, by a job, a recurring job or a schedule. */
export class JidTaken extends Refused {}

/** One thing that is wrong with data, and where in the data it is. */
export interface Issue {
  message: string;
  path: readonly PropertyKey[];
}

/** Refused because an argument or a job's data cannot be right, wherever it is tried. */
export class Invalid extends Refused {
  /** What a schema found wrong with a job's data; empty for anything else. */
  readonly issues: readonly Issue[];

  constructor(code: string, message: string, issues: readonly Issue[] = []) {
    super(code, message);
    this.issues = issues;
  }
}

/** The engine could not run the command: no connection, a full disk, a server that is not ready. */
export class Unreachable extends QlessError {
  /** Whether the command may have been carried out all the same. */
  readonly uncertain: boolean;

  constructor(
    code: string,
    message: string,
    options: { uncertain?: boolean; cause?: unknown } = {},
  ) {
    super(code, message, options);
    this.uncertain = options.uncertain ?? false;
  }
}

/** There was no answer in the time that was allowed for it. */
export class Timeout extends Unreachable {}

const REFUSED: Readonly<Record<string, new (code: string, reason: string) => Refused>> = {
  LOCK_LOST: LostLock,
  NO_SUCH_JOB: NoSuchJob,
  NO_SUCH_RECURRING: NoSuchJob,
  NO_SUCH_SCHEDULE: NoSuchJob,
  JID_TAKEN: JidTaken,
  BAD_ARGUMENT: Invalid,
};

/** A refusal as the class that its code stands for. */
export function refused(code: string, reason: string): Refused {
  const Kind = Object.hasOwn(REFUSED, code) ? REFUSED[code]! : Refused;
  return new Kind(code, reason);
}

/** Reads `CODE reason` as the core throws it; undefined when it is not a refusal. */
export function refusalFrom(text: string): Refused | undefined {
  const match = /^([A-Z][A-Z_]+) (.*)$/s.exec(text);
  return match === null ? undefined : refused(match[1]!, match[2]!);
}
