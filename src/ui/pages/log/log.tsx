import { useEffect, useRef, useState } from "preact/hooks";
import { now } from "../../lib/clock.ts";
import { clockTime, exact, fullTime } from "../../lib/format.ts";
import { hear } from "../../lib/live.ts";
import { jobLink, linkTo, queueLink } from "../../lib/route.ts";
import type { LiveEvent } from "../../lib/shapes.ts";
import { Empty, Page } from "../../parts/common.tsx";

/** Events that are kept on the page. */
const MAX_KEPT = 500;
/** How often it is drawn at most, in milliseconds. */
const GAP_MS = 250;

interface Line {
  id: number;
  at: number;
  event: LiveEvent;
}

/** What has happened since the page was opened, wherever in the interface somebody was. */
let lines: Line[] = [];
let total = 0;

hear((events) => {
  const at = now();
  for (const event of events.slice(-MAX_KEPT)) {
    total += 1;
    lines.push({ id: total, at, event });
  }
  if (lines.length > MAX_KEPT) lines = lines.slice(-MAX_KEPT);
});

/** Draws again when something was heard, a few times a second at most. */
function useLines(isPaused: boolean): readonly Line[] {
  const [shown, show] = useState<readonly Line[]>(lines);
  const timer = useRef<number | undefined>(undefined);
  useEffect(() => {
    if (isPaused) return undefined;
    show([...lines]);
    const leave = hear(() => {
      timer.current ??= window.setTimeout(() => {
        timer.current = undefined;
        show([...lines]);
      }, GAP_MS);
    });
    return () => {
      leave();
      clearTimeout(timer.current);
      timer.current = undefined;
    };
  }, [isPaused]);
  return shown;
}

/** Everything that happens, as it happens. */
export function Log() {
  const [isPaused, pause] = useState(false);
  const [part, type] = useState("");
  const shown = useLines(isPaused)
    .filter(({ event }) => part === "" || textOf(event).includes(part))
    .toReversed();
  return (
    <Page
      title="Log"
      about={`The last ${MAX_KEPT} events, since this page was opened`}
      actions={
        <button type="button" aria-pressed={isPaused} onClick={() => pause(!isPaused)}>
          {isPaused ? "Go on" : "Hold"}
        </button>
      }
    >
      <div class="field">
        <label for="log-part">With this in it</label>
        <input
          id="log-part"
          type="search"
          value={part}
          spellcheck={false}
          onInput={(event) => type(event.currentTarget.value)}
        />
      </div>
      {shown.length === 0 ? (
        <Empty
          title={
            part === "" ? "Nothing has happened yet" : "Nothing of what happened has this in it"
          }
        >
          Events appear here as jobs are put, completed, failed and canceled.
        </Empty>
      ) : (
        <>
          <p class="quiet">{exact(shown.length)} shown</p>
          <ol class="log" aria-label="Events, the last first">
            {shown.map((line) => (
              <LogLine key={line.id} line={line} />
            ))}
          </ol>
        </>
      )}
    </Page>
  );
}

const textOf = (event: LiveEvent) => Object.values(event).map(String).join(" ");

const TONES: Record<string, string> = {
  completed: "complete",
  failed: "failed",
  lock_lost: "stalled",
  damaged: "failed",
  missed: "stalled",
};

function LogLine({ line: { at, event } }: { line: Line }) {
  const { jid, queue, worker, group, message } = event;
  return (
    <li>
      <time title={fullTime(at)}>{clockTime(at)}</time>
      <span class={`event ${TONES[event.event] ?? ""}`}>{event.event}</span>
      <span class="event-facts">
        {jid !== undefined && <a href={jobLink(jid)}>{jid}</a>}
        {queue !== undefined && <a href={queueLink(queue)}>{queue}</a>}
        {worker !== undefined && worker !== "" && <span>{worker}</span>}
        {group !== undefined && <a href={linkTo(["failures", group])}>{group}</a>}
        {message !== undefined && <span class="detail">{message.split("\n", 1)[0]}</span>}
        <Rest event={event} />
      </span>
    </li>
  );
}

const SHOWN = new Set(["channel", "event", "jid", "queue", "worker", "group", "message", "id"]);

function Rest({ event }: { event: LiveEvent }) {
  const rest = Object.entries(event).filter(
    ([name, value]) => !SHOWN.has(name) && value !== undefined,
  );
  if (rest.length === 0) return null;
  const text = rest.map(
    ([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return <span class="quiet">{text.join(", ").slice(0, 300)}</span>;
}
