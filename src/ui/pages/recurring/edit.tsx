import { useEffect, useState } from "preact/hooks";
import { laidOut } from "../../../json/laid-out.ts";
import type { RawJson } from "../../../json/raw-json.ts";
import { nextRuns } from "../../lib/calls.ts";
import { setRecurring, setSchedule } from "../../lib/deeds.ts";
import { lengthFrom } from "../../lib/format.ts";
import type { Recurring, Schedule } from "../../lib/shapes.ts";
import { Store, useStore } from "../../lib/store.ts";
import { confirm, jsonFrom } from "../../parts/action.tsx";
import { listFrom } from "../../parts/bulk.tsx";
import type { Field, Values } from "../../parts/fields.tsx";
import { When } from "../../parts/when.tsx";
import { cronWords } from "./words.ts";

/** The cron expression that is being typed, for the preview beside it. */
const typed = new Store({ cron: "", zone: "" });
const SOON_MS = 250;

const local = () => Intl.DateTimeFormat().resolvedOptions().timeZone;
const zones = () => ["UTC", local(), ...Intl.supportedValuesOf("timeZone")];

const common = (of: { klass: string; queue: string; data: RawJson } | undefined): Field[] => [
  { name: "klass", label: "Klass", initial: of?.klass ?? "", isNeeded: true },
  { name: "queue", label: "Queue", initial: of?.queue ?? "", isNeeded: true },
  {
    name: "data",
    label: "Data, as JSON",
    kind: "area",
    initial: of === undefined ? "{}" : laidOut(of.data.text),
  },
];

const jidField: Field = {
  name: "jid",
  label: "Name",
  isNeeded: true,
  hint: "Its children are named after it.",
};

const scheduleFields = (of: Schedule | undefined, cron: string, zone: string): Field[] => [
  ...(of === undefined ? [jidField] : []),
  {
    name: "cron",
    label: "Cron",
    initial: cron,
    isNeeded: true,
    hint: "minute hour day month weekday",
  },
  { name: "zone", label: "Time zone", initial: zone, options: zones() },
  ...common(of),
  {
    name: "overlap",
    label: "While the last has not ended",
    kind: "choice",
    initial: of?.overlap ?? "allow",
    options: ["allow", "skip"],
  },
  {
    name: "missed",
    label: "Of runs that were missed",
    kind: "choice",
    initial: of?.missed ?? "one",
    options: ["skip", "one", "all"],
  },
  { name: "priority", label: "Priority", kind: "number", initial: String(of?.priority ?? 0) },
  {
    name: "retries",
    label: "Retries",
    kind: "number",
    initial: of?.retries === null || of === undefined ? "" : String(of.retries),
    hint: "Left empty, as many as jobs have.",
  },
  { name: "tags", label: "Tags", initial: of?.tags.join(", ") ?? "" },
];

/** Asks for a schedule, or for changes of one. */
export function editSchedule(of: Schedule | undefined, after: () => void): void {
  const { cron = "0 9 * * 1-5", zone = local() } = of ?? {};
  typed.set({ cron, zone });
  confirm({
    title: of === undefined ? "New schedule" : `Edit ${of.jid}`,
    verb: "Save",
    says: <Preview />,
    fields: scheduleFields(of, cron, zone),
    request: (values) => {
      const {
        jid = of?.jid ?? "",
        cron: text = "",
        zone: place = "",
        klass = "",
        queue = "",
      } = values;
      // Told to the preview once the form is drawn.
      queueMicrotask(() => typed.set({ cron: text, zone: place }));
      const { data = "null", overlap: laps = "allow", missed: late = "one" } = values;
      const draft = {
        klass,
        queue,
        data: jsonFrom(data, "Data", of?.data),
        cron: text,
        zone: place,
      };
      return setSchedule(jid, {
        ...draft,
        ...{ overlap: laps, missed: late, ...childOf(values) },
        ...(of !== undefined && keptOf(of)),
      });
    },
    done: "The schedule was saved",
    after,
  });
}

/** What is said of the children. */
function childOf({ priority = "0", retries = "", tags = "" }: Values) {
  return {
    priority: Number(priority),
    tags: listFrom(tags),
    ...(retries !== "" && { retries: Number(retries) }),
  };
}

/** What the form does not show of a schedule, and an edit leaves as it is. */
function keptOf({ backlog, jitter, source, backoff }: Schedule) {
  return {
    ...{ backlog, jitter },
    ...(source !== null && { source }),
    ...(backoff !== null && { backoff }),
  };
}

/** When it would come next, as it is typed. */
function Preview() {
  const { cron, zone } = useStore(typed);
  const [runs, set] = useState<number[] | string>([]);
  useEffect(() => {
    const leaving = new AbortController();
    const timer = setTimeout(() => {
      nextRuns(cron, zone === "" ? "UTC" : zone, 4, leaving.signal).then(set, (error: Error) => {
        if (!leaving.signal.aborted) set(error.message);
      });
    }, SOON_MS);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [cron, zone]);
  return (
    <p aria-live="polite">
      {typeof runs === "string" ? (
        <span class="trouble">{runs}.</span>
      ) : (
        <>
          {cronWords(cron)}. Next:{" "}
          {runs.map((run, i) => (
            <span key={run}>
              {i > 0 && ", "}
              <When at={run} />
            </span>
          ))}
        </>
      )}
    </p>
  );
}

/** Asks for a job at intervals, or for changes of one. */
export function editInterval(of: Recurring | undefined, after: () => void): void {
  confirm({
    title: of === undefined ? "New interval" : `Edit ${of.jid}`,
    verb: "Save",
    fields: [
      ...(of === undefined ? [jidField] : []),
      {
        name: "interval",
        label: "Every",
        initial: of === undefined ? "1h" : `${of.interval}s`,
        isNeeded: true,
        hint: "Such as 30s, 15m or 1h 30m.",
      },
      ...common(of),
      { name: "priority", label: "Priority", kind: "number", initial: String(of?.priority ?? 0) },
      { name: "retries", label: "Retries", kind: "number", initial: String(of?.retries ?? 5) },
      { name: "tags", label: "Tags", initial: of?.tags.join(", ") ?? "" },
    ],
    request: (values) => {
      const { jid = of?.jid ?? "", klass = "", queue = "", data = "null", tags = "" } = values;
      const interval = lengthFrom(values.interval ?? "") ?? values.interval ?? "";
      return setRecurring(jid, {
        ...{ klass, queue, data: jsonFrom(data, "Data", of?.data), interval },
        ...{ priority: Number(values.priority ?? 0), retries: Number(values.retries ?? 5) },
        tags: listFrom(tags),
        ...(of !== undefined && { backlog: of.backlog }),
      });
    },
    done: "The recurring job was saved",
    after,
  });
}
