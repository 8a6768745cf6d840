import { QlessError } from "../engine.ts";

/** Why a run was told to stop. */
export type AbortCode = "LOCK_LOST" | "CANCELED" | "MOVED" | "CUTOFF" | "STOPPING";

const SENTENCES: Readonly<Record<AbortCode, string>> = {
  LOCK_LOST: "was given to another worker or timed out: its outcome will not be kept",
  MOVED: "was moved to a queue by somebody else: its outcome will not be kept",
  CANCELED: "was canceled: its outcome will not be kept",
  CUTOFF: "has run as long as it may",
  STOPPING: "has to end, since the worker stops and its grace is over",
};

/** The reason of a run's abort signal. */
export class RunAborted extends QlessError {
  declare readonly code: AbortCode;
  readonly jid: string;

  constructor(jid: string, code: AbortCode) {
    super(code, `Job ${jid} ${SENTENCES[code]}`);
    this.jid = jid;
  }
}
