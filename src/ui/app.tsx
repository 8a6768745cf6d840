import type { ComponentChildren } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { type Place, usePlace } from "./lib/route.ts";
import { server, wantsToken } from "./lib/session.ts";
import { useStore } from "./lib/store.ts";
import { Config } from "./pages/config/config.tsx";
import { Failures } from "./pages/failures/failures.tsx";
import { FailureGroup } from "./pages/failures/group.tsx";
import { JobPage } from "./pages/job/job.tsx";
import { Log } from "./pages/log/log.tsx";
import { Overview } from "./pages/overview/overview.tsx";
import { QueuePage } from "./pages/queue/queue.tsx";
import { RecurringPage } from "./pages/recurring/recurring.tsx";
import { Search } from "./pages/search/search.tsx";
import { TagsPage } from "./pages/tags/tags.tsx";
import { Tracked } from "./pages/tracked/tracked.tsx";
import { Workers } from "./pages/workers/workers.tsx";
import { ActionHost } from "./parts/action.tsx";
import { BulkHost } from "./parts/bulk.tsx";
import { Empty, Page } from "./parts/common.tsx";
import { Toasts } from "./parts/toasts.tsx";
import { Header } from "./shell/header.tsx";
import { Help } from "./shell/help.tsx";
import { StaleBanner } from "./shell/status.tsx";
import { TokenForm } from "./shell/token.tsx";

type View = (place: Place) => ComponentChildren;

/** The page for the first part of a path; with a second part, the page of that thing. */
const VIEWS: Record<string, View> = {
  "": () => <Overview />,
  queues: ({ path: [, name] }) =>
    name === undefined ? <Overview /> : <QueuePage key={name} name={name} />,
  jobs: ({ path: [, jid] }) => (jid === undefined ? <Search /> : <JobPage key={jid} jid={jid} />),
  search: () => <Search />,
  failures: ({ path: [, group] }) =>
    group === undefined ? <Failures /> : <FailureGroup key={group} group={group} />,
  workers: ({ path: [, name] }) => <Workers only={name} />,
  recurring: () => <RecurringPage />,
  tracked: () => <Tracked />,
  tags: () => <TagsPage />,
  log: () => <Log />,
  config: () => <Config />,
};

const unknown: View = () => (
  <Page title="No such page">
    <Empty title="There is nothing at this address">
      It may have been copied in part. The <a href="#/">overview</a> leads everywhere.
    </Empty>
  </Page>
);

export function App() {
  const place = usePlace();
  const wanted = useStore(wantsToken);
  // What we may do decides which buttons there are.
  useStore(server);
  useLayoutEffect(() => window.scrollTo(0, place.scroll), [place]);
  if (wanted !== undefined) return <TokenForm />;
  const view = Object.hasOwn(VIEWS, place.path[0] ?? "") ? VIEWS[place.path[0] ?? ""]! : unknown;
  return (
    <>
      <button type="button" class="skip" onClick={skip}>
        Skip to the page
      </button>
      <Header />
      <StaleBanner />
      <main id="main" tabIndex={-1}>
        {view(place)}
      </main>
      <ActionHost />
      <BulkHost />
      <Help />
      <Toasts />
    </>
  );
}

function skip(): void {
  document.querySelector<HTMLElement>("#main")?.focus();
}
