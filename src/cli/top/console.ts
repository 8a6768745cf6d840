import type { Client } from "../../client/client.ts";
import { moved } from "../../client/moving.ts";
import { startInterval } from "../../timers.ts";
import { type Sample, Sampler } from "./sample.ts";
import { Screen } from "./screen.ts";
import { lastTop, type Of, rowsOf, type Section, type View } from "./view.ts";

const SECTIONS: readonly Section[] = ["queues", "failures", "workers"];
/** Lines that a page is moved by. */
const PAGE = 10;

/** Something that is done once `y` is pressed. */
interface Pending {
  question: string;
  act: () => Promise<string>;
}

/** The live view: looks every now and then, hears keys, and draws. Ends when it is told to. */
export class Console {
  readonly ended: Promise<void>;
  readonly #client: Client;
  readonly #sampler: Sampler;
  readonly #screen: Screen;
  readonly #place: string;
  #end!: () => void;
  #views: View[] = [{ kind: "overview", section: "queues", at: 0 }];
  #sample: Sample | undefined;
  #at: Date | undefined;
  #status = "";
  #pending: Pending | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;

  constructor(client: Client, place: string) {
    this.#client = client;
    this.#sampler = new Sampler(client);
    this.#place = place;
    this.#screen = new Screen({ key: (key) => this.#hear(key), resize: () => this.#draw() });
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  open(everyMs: number): void {
    this.#screen.open();
    this.#timer = startInterval(() => void this.#look(), everyMs);
    this.#draw();
    void this.#look();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#screen.close();
    this.#end();
  }

  get #view(): View {
    return this.#views.at(-1)!;
  }

  /** Reads what is on the screen again; one look at a time, however slow the engine is. */
  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      await this.#read(this.#view);
    } catch (error) {
      this.#status = (error as Error).message;
    } finally {
      this.#isLooking = false;
    }
    this.#draw();
  }

  async #read(view: View): Promise<void> {
    if (view.kind === "overview") {
      this.#sample = await this.#sampler.look();
      this.#at = this.#sample.at;
      return;
    }
    const at = await this.#sampler.time();
    if (view.kind === "jobs") view.jobs = await this.#sampler.jobs(view.of);
    else view.job = (await this.#sampler.job(view.jid)) ?? "gone";
    this.#at = at;
  }

  #draw(): void {
    const { width, height } = this.#screen;
    const status = this.#pending === undefined ? this.#status : `${this.#pending.question} y/n`;
    const told = { place: this.#place, view: this.#view, sample: this.#sample, status };
    this.#screen.draw(rowsOf({ ...told, at: this.#at, width, height }));
  }

  #hear(key: string): void {
    const pending = this.#pending;
    if (key === "quit") this.close();
    else if (pending !== undefined) {
      this.#pending = undefined;
      if (key === "y") void this.#act(pending.act);
      else this.#status = "Nothing was done";
    } else {
      this.#status = "";
      this.#press(key);
    }
    this.#draw();
  }

  #press(key: string): void {
    if (key === "q") this.close();
    else if (key === "back") this.#back();
    else if (key === "up") this.#step(-1);
    else if (key === "down") this.#step(1);
    else if (key === "page-up") this.#step(-PAGE);
    else if (key === "page-down") this.#step(PAGE);
    else if (key === "next") this.#nextSection();
    else if (key === "enter") this.#enter();
    else if (key === "p") this.#pause();
    else if (key === "r") this.#retry();
    else if (key === "c") this.#cancel();
    else if (key === "t") this.#timeout();
  }

  #back(): void {
    if (this.#views.length > 1) this.#views.pop();
    void this.#look();
  }

  #step(by: number): void {
    const view = this.#view;
    if (view.kind === "job") view.top = Math.max(0, Math.min(view.top + by, this.#lastTop(view)));
    else view.at = Math.max(0, Math.min(view.at + by, this.#length() - 1));
  }

  #lastTop({ job }: View & { kind: "job" }): number {
    return typeof job === "object" ? lastTop(job, this.#screen) : 0;
  }

  #length(): number {
    const view = this.#view;
    if (view.kind === "jobs") return view.jobs?.length ?? 0;
    return view.kind === "overview" ? (this.#sample?.[view.section].length ?? 0) : 0;
  }

  #nextSection(): void {
    const view = this.#view;
    if (view.kind !== "overview") return;
    view.section = SECTIONS[(SECTIONS.indexOf(view.section) + 1) % SECTIONS.length]!;
    view.at = 0;
  }

  /** What is chosen on the overview. */
  #chosen(): Of | undefined {
    const view = this.#view;
    const sample = this.#sample;
    if (view.kind !== "overview" || sample === undefined) return undefined;
    const { section, at } = view;
    if (section === "queues") return sample.queues[at] && { queue: sample.queues[at].name };
    if (section === "failures") return sample.failures[at] && { group: sample.failures[at][0] };
    return sample.workers[at] && { worker: sample.workers[at].name };
  }

  /** The job that is chosen or open. */
  #jid(): string | undefined {
    const view = this.#view;
    if (view.kind === "job") return view.jid;
    return view.kind === "jobs" ? view.jobs?.[view.at]?.jid : undefined;
  }

  #enter(): void {
    const of = this.#chosen();
    const jid = this.#view.kind === "jobs" ? this.#jid() : undefined;
    if (of !== undefined) this.#views.push({ kind: "jobs", of, jobs: undefined, at: 0 });
    else if (jid !== undefined) this.#views.push({ kind: "job", jid, job: undefined, top: 0 });
    void this.#look();
  }

  #pause(): void {
    const queue = this.#chosen()?.queue;
    const counts = this.#sample?.queues.find(({ name }) => name === queue);
    if (queue === undefined || counts === undefined) return;
    const handle = this.#client.queue(queue);
    void this.#act(async () => {
      await (counts.paused ? handle.unpause() : handle.pause({ reason: "by hand, in qless top" }));
      return counts.paused ? `${queue} is unpaused` : `${queue} is paused`;
    });
  }

  #retry(): void {
    const jid = this.#jid();
    const group = this.#chosen()?.group;
    const { calls } = this.#client.parts;
    if (jid !== undefined) {
      void this.#act(async () => {
        await moved(calls, "", jid);
        return `${jid} runs as soon as it can`;
      });
    } else if (group !== undefined) {
      const jobs = this.#sample?.failures.find(([name]) => name === group)?.[1] ?? 0;
      this.#ask(`Retry ${jobs} jobs of group ${group}?`, async () => {
        const { done, refused } = await this.#client.search({ group }).retry();
        return `${done} put again, ${refused} refused`;
      });
    }
  }

  #cancel(): void {
    const jid = this.#jid();
    if (jid === undefined) return;
    this.#ask(`Cancel ${jid} for good?`, async () => {
      await this.#client.cancel([jid]);
      return `${jid} is canceled`;
    });
  }

  #timeout(): void {
    const jid = this.#jid();
    if (jid === undefined || this.#view.kind !== "job") return;
    this.#ask(`Take ${jid} from its worker?`, async () => {
      await this.#client.parts.calls.write("timeout", [jid]);
      return `${jid} will be handed out again`;
    });
  }

  #ask(question: string, act: () => Promise<string>): void {
    this.#pending = { question, act };
  }

  async #act(act: () => Promise<string>): Promise<void> {
    try {
      this.#status = await act();
    } catch (error) {
      this.#status = (error as Error).message;
    }
    this.#draw();
    await this.#look();
  }
}
