import type { RawJson } from "../../../json/raw-json.ts";
import { forgetQueue, pauseQueue, putJob, unpauseQueue } from "../../lib/deeds.ts";
import { goTo, jobLink, linkTo } from "../../lib/route.ts";
import { may } from "../../lib/session.ts";
import type { Counts } from "../../lib/shapes.ts";
import { act, confirm, jsonFrom } from "../../parts/action.tsx";

/** What an operator does with a queue. */
export function QueueActions({ counts, refresh }: { counts: Counts; refresh: () => void }) {
  const { name, paused } = counts;
  return (
    <>
      {may("put") && (
        <button type="button" onClick={() => askPut(name)}>
          Put a job
        </button>
      )}
      {may("admin") && (
        <>
          {paused ? (
            <button
              type="button"
              class="primary"
              onClick={() => void act(unpauseQueue(name), `${name} goes on`, refresh)}
            >
              Unpause
            </button>
          ) : (
            <button type="button" onClick={() => askPause(name, refresh)}>
              Pause
            </button>
          )}
          <button type="button" class="danger" onClick={() => askForget(name)}>
            Forget
          </button>
        </>
      )}
    </>
  );
}

function askPause(queue: string, refresh: () => void): void {
  confirm({
    title: `Pause ${queue}`,
    verb: "Pause",
    says: "Nobody is given jobs of this queue; those that run go on to their end.",
    fields: [
      { name: "reason", label: "Why", hint: "For those who wonder; it is shown everywhere." },
      {
        name: "for",
        label: "For how long",
        hint: "Such as 30m or 2h; empty until it is unpaused.",
      },
    ],
    request: ({ reason = "", for: length = "" }) =>
      pauseQueue(queue, {
        ...(reason !== "" && { reason }),
        ...(length !== "" && { for: length }),
      }),
    done: `${queue} is paused`,
    after: refresh,
  });
}

function askForget(queue: string): void {
  confirm({
    title: `Forget ${queue}`,
    verb: "Forget",
    isDangerous: true,
    says: "The queue leaves the list. Its jobs stay, and it comes back with the next job that is put.",
    request: () => forgetQueue(queue),
    done: `${queue} is off the list`,
    after: () => goTo(linkTo([])),
  });
}

function askPut(queue: string): void {
  confirm({
    title: `Put a job into ${queue}`,
    verb: "Put",
    fields: [
      { name: "klass", label: "Klass", isNeeded: true },
      { name: "data", label: "Data, as JSON", kind: "area", initial: "{}" },
      {
        name: "priority",
        label: "Priority",
        kind: "number",
        initial: "0",
        hint: "Lower runs sooner.",
      },
      { name: "tags", label: "Tags", hint: "With commas between them." },
      { name: "delay", label: "Delay", hint: "Such as 10m; empty for at once." },
    ],
    request: (values) => putJob(jobFrom(queue, values)),
    done: `A job was put into ${queue}`,
    after: (answer) => goTo(jobLink((answer as { jid: string }).jid)),
  });
}

/** A job out of what a form has; also for copies. */
export function jobFrom(
  queue: string,
  values: Readonly<Record<string, string>>,
  original?: RawJson,
) {
  const { klass = "", data = "null", priority = "", tags = "", delay = "" } = values;
  const list = tags.split(",").map((one) => one.trim());
  return {
    klass,
    queue,
    data: jsonFrom(data, "Data", original),
    ...(priority !== "" && { priority: Number(priority) }),
    ...(tags.trim() !== "" && { tags: list.filter((one) => one !== "") }),
    ...(delay.trim() !== "" && { delay }),
  };
}
