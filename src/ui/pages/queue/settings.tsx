import { Setting } from "../../parts/setting.tsx";

/** What a queue may have of its own, and how it is explained. */
export const QUEUE_SETTINGS: readonly [name: string, label: string, usual: string, hint: string][] =
  [
    ["max-concurrency", "Jobs at a time", "any", "How many may run at once, over all workers."],
    ["heartbeat", "Heartbeat, seconds", "", "How long a lock lasts until it is renewed."],
    ["retries", "Retries", "5", "Of jobs that do not say."],
    ["cutoff", "Cutoff, seconds", "none", "How long a run may take in all."],
    ["backoff", "Backoff", "none", 'Between retries, such as "exponential 5 cap 60".'],
  ];

export function QueueSettings(props: {
  queue: string;
  all: Readonly<Record<string, string | number>>;
  refresh: () => void;
}) {
  const { queue, all } = props;
  return (
    <div class="settings">
      {QUEUE_SETTINGS.map(([name, label, usual, hint]) => (
        <Setting
          key={name}
          name={name}
          label={label}
          queue={queue}
          value={all[`${queue}-${name}`]}
          usual={name === "heartbeat" ? String(all.heartbeat ?? 60) : usual}
          hint={hint}
          isLength={label.endsWith("seconds")}
          refresh={props.refresh}
        />
      ))}
    </div>
  );
}
