import { invalid } from "../../client/times.ts";
import { sleep } from "../../timers.ts";

/** How many times faster than usual everything goes. For tests, which have no time. */
export function paceFrom({ QLESS_DEMO_PACE: text = "" }: NodeJS.ProcessEnv): Pace {
  const times = text === "" ? 1 : Number(text);
  if (!(times >= 0.1 && times <= 100)) throw invalid("QLESS_DEMO_PACE must be from 0.1 to 100");
  return new Pace(times);
}

/** Times of the demonstration. */
export class Pace {
  readonly times: number;

  constructor(times: number) {
    this.times = times;
  }

  /** So many seconds of the usual pace, in milliseconds. */
  ms(seconds: number): number {
    return Math.max(Math.round((seconds * 1000) / this.times), 1);
  }

  /** Works for so many seconds; ends early, with an error, when the run is aborted. */
  async work(seconds: number, signal: AbortSignal): Promise<void> {
    await sleep(this.ms(seconds), signal);
  }
}
