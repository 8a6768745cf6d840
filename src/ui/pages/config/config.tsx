import { config } from "../../lib/calls.ts";
import { useResource } from "../../lib/resource.ts";
import { queueLink } from "../../lib/route.ts";
import { server } from "../../lib/session.ts";
import { useStore } from "../../lib/store.ts";
import { Empty, Loaded, Page, Panel } from "../../parts/common.tsx";
import { Setting } from "../../parts/setting.tsx";
import { QUEUE_SETTINGS } from "../queue/settings.tsx";
import { Maintenance } from "./maintenance.tsx";

/** Settings of the namespace: name, default, and what it does. */
const SETTINGS: readonly [name: string, usual: string, hint: string][] = [
  ["heartbeat", "60", "Seconds that a lock lasts until it is renewed."],
  [
    "grace-period",
    "10",
    "Seconds that a worker has after its lock expired, before the job is given away.",
  ],
  ["jobs-history", "604800", "Seconds that completed jobs are kept."],
  ["jobs-history-count", "50000", "Completed jobs that are kept at most."],
  ["max-job-history", "100", "Entries of history that a job keeps; 0 for all."],
  ["max-worker-age", "86400", "Seconds after which a silent worker leaves the list."],
  ["stats-history", "30", "Days that statistics are kept."],
  ["histogram-history", "7", "Days that histograms are kept."],
  ["priority-order", "lowest-first", "lowest-first or highest-first: whose jobs run sooner."],
  ["application", "qless", "A name, for people."],
];

/** What can be set, for all queues and for each. */
export function Config() {
  const all = useResource("config", config, { on: ({ event }) => event.startsWith("config_") });
  const info = useStore(server);
  return (
    <Page
      title="Config"
      about={
        info !== undefined &&
        `namespace ${info.namespace}, server ${info.version}, you are ${info.caller.name} (${info.caller.roles.join(", ")})`
      }
    >
      <Loaded resource={all}>
        {(values) => (
          <>
            <Panel title="Everywhere">
              <div class="settings">
                {SETTINGS.map(([name, usual, hint]) => (
                  <Setting
                    key={name}
                    name={name}
                    label={name}
                    value={values[name]}
                    usual={usual}
                    hint={hint}
                    isLength={hint.startsWith("Seconds")}
                    refresh={all.refresh}
                  />
                ))}
              </div>
            </Panel>
            <Panel title="Queues with settings of their own">
              <OwnSettings values={values} />
            </Panel>
          </>
        )}
      </Loaded>
      <Maintenance />
    </Page>
  );
}

function OwnSettings({ values }: { values: Readonly<Record<string, string | number>> }) {
  const names = QUEUE_SETTINGS.map(([name]) => name);
  const found = Object.entries(values).flatMap(([key, value]) => {
    const name = names.find((one) => key.endsWith(`-${one}`) && key.length > one.length + 1);
    return name === undefined ? [] : [{ queue: key.slice(0, -name.length - 1), name, value, key }];
  });
  if (found.length === 0) {
    return (
      <Empty title="All queues are as usual">
        A queue's limits are set on its own page: how many run at a time, how long a lock lasts.
      </Empty>
    );
  }
  return (
    <ul class="plain counted">
      {found.slice(0, 500).map(({ queue, name, value, key }) => (
        <li key={key}>
          <span>
            <a href={queueLink(queue)}>{queue}</a> <span class="quiet">{name}</span>
          </span>
          <strong>{value}</strong>
        </li>
      ))}
    </ul>
  );
}
