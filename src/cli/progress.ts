import { plain } from "./plain.ts";

/** Nothing is drawn before so long, in milliseconds, and then at most so often. */
const PATIENCE_MS = 1000;
const BETWEEN_MS = 100;
const BAR = 24;

/** Shows how far something long has come, on a terminal and after a second; elsewhere it is silent. */
export class Progress {
  readonly #about: string;
  readonly #begun = performance.now();
  readonly #isSeen = process.stderr.isTTY === true;
  #drawn = 0;

  constructor(about: string) {
    this.#about = about;
  }

  /** So much is done, of so much in all if that is known. */
  at(done: number, total?: number): void {
    const now = performance.now();
    if (!this.#isSeen || now - this.#begun < PATIENCE_MS || now - this.#drawn < BETWEEN_MS) return;
    this.#drawn = now;
    const perSecond = Math.round((done / (now - this.#begun)) * 1000);
    const line = `${plain(this.#about)} ${barOf(done, total)} ${perSecond}/s`;
    process.stderr.write(`\r\u001b[K${line}`);
  }

  /** Takes it off the screen. */
  end(): void {
    if (this.#drawn > 0) process.stderr.write("\r\u001b[K");
    this.#drawn = 0;
  }
}

function barOf(done: number, total: number | undefined): string {
  if (total === undefined || total === 0) return String(done);
  const part = Math.min(1, done / total);
  const full = Math.round(part * BAR);
  return `[${"#".repeat(full)}${".".repeat(BAR - full)}] ${Math.floor(part * 100)}% ${done}/${total}`;
}
