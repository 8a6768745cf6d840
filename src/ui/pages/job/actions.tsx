import { laidOut } from "../../../json/laid-out.ts";
import {
  cancelJob,
  moveJob,
  putJob,
  retryJob,
  setPriority,
  tagJob,
  timeOutJob,
  trackJob,
  undepend,
} from "../../lib/deeds.ts";
import { plural } from "../../lib/format.ts";
import { goTo, jobLink } from "../../lib/route.ts";
import { may } from "../../lib/session.ts";
import type { Job } from "../../lib/shapes.ts";
import { type Asked, act, confirm } from "../../parts/action.tsx";
import { listFrom } from "../../parts/bulk.tsx";
import { jobFrom } from "../queue/actions.tsx";

interface Offer {
  name: string;
  tone?: "primary" | "danger";
  begin: () => void;
}

/** What an operator may do with a job; what makes no sense in its state is not offered. */
function offersFor(job: Job, refresh: () => void): Offer[] {
  const { jid, state, tracked } = job;
  const asking = (name: string, asked: Asked) => ({
    name,
    begin: () => confirm({ after: refresh, ...asked }),
  });
  const retry = () => void act(retryJob(jid), "It runs as soon as it can", refresh);
  const told = tracked ? "Not tracked any more" : "Tracked";
  const track = () => void act(trackJob(jid, !tracked), told, refresh);
  const offers: (Offer | false)[] = [
    state === "failed" && { name: "Retry", tone: "primary", begin: retry },
    state === "scheduled" && { name: "Run now", tone: "primary", begin: retry },
    state === "running" && asking("Time out", timingOut(job)),
    state === "depends" && asking("Wait for nothing", freeing(job)),
    asking("Move", moving(job)),
    asking("Priority", prioritizing(job)),
    asking("Tags", tagging(job)),
    { name: tracked ? "Untrack" : "Track", begin: track },
    state !== "complete" && { ...asking("Cancel", canceling(job)), tone: "danger" },
  ];
  return offers.filter((offer) => offer !== false);
}

export function JobActions({ job, refresh }: { job: Job; refresh: () => void }) {
  const copy = { name: "Put a copy", begin: () => confirm(copying(job)) };
  const offers: Offer[] = [
    ...(may("put") ? [copy] : []),
    ...(may("admin") ? offersFor(job, refresh) : []),
  ];
  return (
    <>
      {offers.map(({ name, tone = "", begin }) => (
        <button key={name} type="button" class={tone} onClick={begin}>
          {name}
        </button>
      ))}
    </>
  );
}

const timingOut = ({ jid, worker }: Job): Asked => ({
  title: "Time out",
  verb: "Take it away",
  says: `${worker} loses its lock and is told so; another worker gets the job next. No retry is spent.`,
  request: () => timeOutJob(jid),
  done: "It was taken from its worker",
});

const freeing = ({ jid, dependencies }: Job): Asked => ({
  title: "Wait for nothing",
  verb: "Let it run",
  says: `It waits for ${plural(dependencies.length, "job")}. Without them it may run though they are not done.`,
  request: () => undepend(jid),
  done: "It waits for nothing any more",
});

const moving = ({ jid, queue, state }: Job): Asked => ({
  title: "Move to another queue",
  verb: "Move",
  says: state === "running" ? "Its worker loses it." : undefined,
  fields: [{ name: "queue", label: "Into the queue", initial: queue, isNeeded: true }],
  request: ({ queue: to = "" }) => moveJob(jid, to),
  done: "Moved",
});

const prioritizing = ({ jid, priority }: Job): Asked => ({
  title: "Priority",
  verb: "Set it",
  fields: [
    {
      name: "priority",
      label: "Priority",
      kind: "number",
      initial: String(priority),
      hint: "Lower runs sooner.",
      isNeeded: true,
    },
  ],
  request: (values) => setPriority(jid, Number(values.priority)),
  done: "The priority was set",
});

const tagging = ({ jid, tags }: Job): Asked => ({
  title: "Tags",
  verb: "Set them",
  fields: [
    { name: "tags", label: "Tags", initial: tags.join(", "), hint: "With commas between them." },
  ],
  request: (values) => {
    const wanted = listFrom(values.tags ?? "");
    const gone = tags.filter((tag) => !wanted.includes(tag));
    return tagJob(
      jid,
      wanted.filter((tag) => !tags.includes(tag)),
      gone,
    );
  },
  done: "The tags were set",
});

const canceling = ({ jid, state, dependents }: Job): Asked => ({
  title: "Cancel",
  verb: "Cancel the job",
  isDangerous: true,
  says: (
    <>
      <p>The job will be gone, with its data and its history.</p>
      {state === "running" && <p>Its worker is told to stop.</p>}
      {dependents.length > 0 && (
        <p>{dependents.length} jobs wait for it: it will be refused as long as they do.</p>
      )}
    </>
  ),
  request: () => cancelJob(jid),
  done: "Canceled",
});

const copying = (job: Job): Asked => ({
  title: "Put a copy",
  verb: "Put it",
  says: "A new job with a jid of its own.",
  fields: [
    { name: "queue", label: "Queue", initial: job.queue, isNeeded: true },
    { name: "klass", label: "Klass", initial: job.klass, isNeeded: true },
    {
      name: "data",
      label: "Data, as JSON",
      kind: "area",
      initial: laidOut(job.data.text),
    },
    { name: "priority", label: "Priority", kind: "number", initial: String(job.priority) },
    { name: "tags", label: "Tags", initial: job.tags.join(", ") },
    { name: "delay", label: "Delay", hint: "Such as 10m; empty for at once." },
  ],
  request: (values) => putJob(jobFrom(values.queue ?? "", values, job.data)),
  done: "A copy was put",
  after: (answer) => goTo(jobLink((answer as { jid: string }).jid)),
});
