import { useEffect, useRef } from "preact/hooks";
import { goTo, linkTo, searchLink, usePlace } from "../lib/route.ts";
import { currentToken, forgetToken, server } from "../lib/session.ts";
import { useStore } from "../lib/store.ts";
import { showHelp } from "./help.tsx";
import { Liveness } from "./status.tsx";
import { nextTheme, theme } from "./theme.ts";

/** Pages of the menu: where they are, what they are called, and the key after `g`. */
export const PAGES: readonly [path: string, name: string, key: string][] = [
  ["", "Overview", "o"],
  ["search", "Search", "s"],
  ["failures", "Failures", "f"],
  ["workers", "Workers", "w"],
  ["recurring", "Recurring", "r"],
  ["tracked", "Tracked", "t"],
  ["tags", "Tags", "a"],
  ["log", "Log", "l"],
  ["config", "Config", "c"],
];

export function Header() {
  const { path } = usePlace();
  const here = path[0] ?? "";
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a phone the menu is wider than the screen.
    nav.current
      ?.querySelector("[aria-current]")
      ?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [here]);
  const isUnder = (page: string) => page === here || (page === "" && here === "queues");
  return (
    <header class="bar">
      <a class="brand" href={linkTo([])} aria-label="qless, overview">
        <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
          <path d="M3 5h14M3 10h14M3 15h9" />
          <circle cx="16" cy="15" r="2" />
        </svg>
        qless
      </a>
      <nav ref={nav} aria-label="Pages">
        {PAGES.map(([page, name, key]) => (
          <a
            key={page}
            href={linkTo(page === "" ? [] : [page])}
            aria-current={isUnder(page) ? "page" : undefined}
            title={`g ${key}`}
          >
            {name}
          </a>
        ))}
      </nav>
      <Find />
      <Tools />
    </header>
  );
}

/** A jid goes to its job, anything else to the search. */
function Find() {
  const input = useRef<HTMLInputElement>(null);
  const go = () => {
    const text = input.current?.value.trim() ?? "";
    if (text === "") return;
    goTo(searchLink(text));
    input.current!.value = "";
    input.current!.blur();
  };
  return (
    <search class="find">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          go();
        }}
      >
        <input
          ref={input}
          id="find"
          type="search"
          placeholder="jid, or state:failed tag:…  ( / )"
          aria-label="Find jobs"
          spellcheck={false}
          autocomplete="off"
        />
      </form>
    </search>
  );
}

function Tools() {
  const info = useStore(server);
  const chosen = useStore(theme);
  const hasToken = currentToken() !== undefined;
  return (
    <div class="tools">
      <Liveness />
      {info !== undefined && hasToken && (
        <button
          type="button"
          class="quiet-button"
          title={`${info.caller.name}: ${info.caller.roles.join(", ")}`}
          onClick={() => {
            forgetToken();
            location.reload();
          }}
        >
          Leave
        </button>
      )}
      <button
        type="button"
        class="quiet-button"
        onClick={nextTheme}
        aria-label={`Theme: ${chosen}`}
      >
        <svg
          viewBox="0 0 16 16"
          width="14"
          height="14"
          aria-hidden="true"
          class={`theme ${chosen}`}
        >
          <circle cx="8" cy="8" r="6" />
          <path d="M8 2a6 6 0 0 1 0 12z" />
        </svg>
      </button>
      <button type="button" class="quiet-button" onClick={showHelp} aria-label="Keys">
        ?
      </button>
    </div>
  );
}
