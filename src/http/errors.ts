import { Invalid, NoSuchJob, QlessError, Refused, Unreachable } from "../engine.ts";

/** A request that is turned away, with the status that says so. */
export class HttpError extends QlessError {
  readonly status: number;
  /** Seconds after which it may be tried again. */
  readonly retryAfter: number | undefined;

  constructor(status: number, code: string, message: string, retryAfter?: number) {
    super(code, message);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** What a caller is told of an error. */
export interface Told {
  status: number;
  code: string;
  message: string;
  retryAfter: number | undefined;
  /** Whether what was asked for may have been done all the same. */
  uncertain: boolean;
  /** Whether the fault is the server's own, so that its log must have it. */
  isOurs: boolean;
  /** Whether the store was away. */
  isOutage: boolean;
}

/** Refusals that say something about the request and not about the state of things. */
const UNFIT = new Set(["CYCLE"]);
/** Refusals that only the operator of the server can do something about. */
const OUT_OF_ORDER = new Set(["UNKNOWN_COMMAND", "NEWER_LAYOUT", "FOREIGN_LAYOUT", "DAMAGED_KEY"]);

/** Seconds after which to try again when the store is away. */
const AWAY_S = 2;

/** Whatever was thrown, as a status and a sentence: never a stack, never what only the server knows. */
export function toldOf(error: unknown): Told {
  const { code, message } = error as QlessError;
  if (error instanceof HttpError) return told(error.status, code, message, error.retryAfter);
  if (error instanceof Unreachable) {
    // Its own sentence names places that are the operator's business; the log has it.
    const sentence = `The store does not answer; try again in ${AWAY_S} s`;
    return { ...told(503, code, sentence, AWAY_S), uncertain: error.uncertain, isOutage: true };
  }
  if (error instanceof Refused) return told(statusOf(error), code, message);
  return fromFastify(error) ?? { ...told(500, "FAILED", BROKEN), isOurs: true };
}

const BROKEN = "Something went wrong in the server; its log says what";

function told(status: number, code: string, message: string, retryAfter?: number): Told {
  return { status, code, message, retryAfter, uncertain: false, isOurs: false, isOutage: false };
}

function statusOf(error: Refused): number {
  if (error instanceof NoSuchJob) return 404;
  if (error instanceof Invalid || UNFIT.has(error.code)) return 422;
  if (error.code === "NOT_PERMITTED") return 403;
  return OUT_OF_ORDER.has(error.code) ? 503 : 409;
}

/** What fastify itself refuses: bodies that are too long, media that are not taken, URLs that make no sense. */
function fromFastify(error: unknown): Told | undefined {
  const { statusCode, code = "" } = error as { statusCode?: number; code?: string };
  if (statusCode === undefined || statusCode < 400 || statusCode >= 500) return undefined;
  const [name, sentence] = SENTENCES[statusCode] ?? ["BAD_REQUEST", "The request cannot be read"];
  return told(code === "FST_ERR_BAD_URL" ? 400 : statusCode, name, sentence);
}

const SENTENCES: Readonly<Record<number, [code: string, sentence: string]>> = {
  400: ["BAD_REQUEST", "The request cannot be read: its address or its length makes no sense"],
  413: ["TOO_LARGE", "The body is larger than this server takes"],
  415: ["BAD_MEDIA", "Send the body as application/json"],
};
