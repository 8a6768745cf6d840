import type { Client } from "../../client/client.ts";
import { startInterval } from "../../timers.ts";
import type { Crew } from "./crew.ts";
import { nameOf } from "./messages.ts";
import type { ShopJobs } from "./shop.ts";

/** Kills a press at work every now and then, so that one can see another take over its jobs. */
export class Accidents {
  readonly #timer: NodeJS.Timeout;
  #isStopped = false;
  #killed = 0;

  constructor(
    client: Client<ShopJobs>,
    crew: Crew,
    { everyMs, onFirst }: { everyMs: number; onFirst(worker: string, jid: string): void },
  ) {
    const strike = async () => {
      const [oldest, ...others] = crew.pidsIn("press");
      if (oldest === undefined || others.length === 0) return;
      const name = nameOf("press", oldest);
      const [jid] = (await client.workers.get(name)).jobs;
      if (jid === undefined || this.#isStopped) return;
      crew.kill(oldest);
      if (this.#killed++ === 0) onFirst(name, jid);
    };
    // The first comes sooner, for those who have just opened the page.
    let thirds = 0;
    this.#timer = startInterval(() => {
      // While the store is away, nobody is at work.
      if (thirds++ % 3 === 0) strike().catch(() => {});
    }, everyMs / 3);
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
  }
}
