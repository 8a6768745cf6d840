import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { exact } from "../lib/format.ts";
import type { Resource } from "../lib/resource.ts";

/** The heading of a page; the tab is named after it. */
export function Page(props: {
  title: string;
  about?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) {
  const { title, about, actions, children } = props;
  useEffect(() => {
    document.title = `${title} · qless`;
  }, [title]);
  return (
    <>
      <header class="page-head">
        <div class="page-title">
          <h1 tabIndex={-1}>{title}</h1>
          {about !== undefined && <div class="about">{about}</div>}
        </div>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}

/** A part of a page with a heading of its own. */
export function Panel(props: {
  title: string;
  aside?: ComponentChildren;
  class?: string;
  children: ComponentChildren;
}) {
  const id = `panel-${props.title.toLowerCase().replaceAll(/[^a-z]+/g, "-")}`;
  return (
    <section class={`panel ${props.class ?? ""}`} aria-labelledby={id}>
      <div class="panel-head">
        <h2 id={id}>{props.title}</h2>
        {props.aside !== undefined && <div class="aside">{props.aside}</div>}
      </div>
      {props.children}
    </section>
  );
}

/** Nothing is there; says what to do next. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children !== undefined && <p>{children}</p>}
    </div>
  );
}

/** Says what went wrong, and lets one try again. */
export function Trouble({ error, retry }: { error: Error; retry?: () => void }) {
  return (
    <div class="trouble" role="alert">
      <p>{error.message}.</p>
      {retry !== undefined && (
        <button type="button" class="quiet-button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** A resource once it is there; before that, that it comes, or why it does not. */
export function Loaded<Value>(props: {
  resource: Resource<Value>;
  children: (value: Value) => ComponentChildren;
}) {
  const { value, error, refresh } = props.resource;
  if (value === undefined) {
    if (error !== undefined) return <Trouble error={error} retry={refresh} />;
    return (
      <p class="loading" role="status">
        Loading
      </p>
    );
  }
  return (
    <>
      {error !== undefined && <Trouble error={error} retry={refresh} />}
      {props.children(value)}
    </>
  );
}

/** A figure with its name under it. */
export function Figure(props: {
  name: string;
  children: ComponentChildren;
  href?: string | undefined;
  tone?: string | undefined;
  title?: string;
}) {
  const inner = (
    <>
      <span class="figure-value">{props.children}</span>
      <span class="figure-name">{props.name}</span>
    </>
  );
  const classes = `figure ${props.tone ?? ""}`;
  return props.href === undefined ? (
    <div class={classes} title={props.title}>
      {inner}
    </div>
  ) : (
    <a class={classes} href={props.href} title={props.title}>
      {inner}
    </a>
  );
}

/** A part of a whole, as a bar and in words. */
export function Meter(props: { value: number; of: number; label: string }) {
  const share = props.of === 0 ? 0 : Math.min(1, props.value / props.of);
  return (
    <svg
      class="meter"
      viewBox="0 0 100 6"
      preserveAspectRatio="none"
      role="img"
      aria-label={`${props.label}: ${exact(props.value)} of ${exact(props.of)}`}
    >
      <rect class="meter-all" width="100" height="6" rx="3" />
      <rect class="meter-part" width={share * 100} height="6" rx="3" />
    </svg>
  );
}

export function Copy({ text, label }: { text: string; label: string }) {
  return (
    <button
      type="button"
      class="quiet-button"
      onClick={() => void navigator.clipboard?.writeText(text).catch(() => undefined)}
    >
      {label}
    </button>
  );
}
