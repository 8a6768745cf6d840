import { useEffect, useRef, useState } from "preact/hooks";
import { job } from "../../lib/calls.ts";
import { now } from "../../lib/clock.ts";
import {
  criteriaOf,
  type Filter,
  filterFrom,
  type Term,
  textOf,
  wordOf,
} from "../../lib/filter.ts";
import { goTo, jobLink, searchLink, usePlace } from "../../lib/route.ts";
import { Empty, Page } from "../../parts/common.tsx";
import { JobList } from "../../parts/job-list.tsx";
import { Suggestions } from "./suggestions.tsx";

/** Jobs by a filter that is part of the address. */
export function Search() {
  const { query } = usePlace();
  const text = query.get("q") ?? "";
  const filter = filterFrom(text);
  return (
    <Page title="Search">
      <FilterForm text={text} filter={filter} />
      {filter.problems.map((problem) => (
        <p key={problem} class="trouble" role="alert">
          {problem}
        </p>
      ))}
      <Exactly terms={filter.terms} />
      {filter.problems.length === 0 && <Results text={text} filter={filter} />}
    </Page>
  );
}

function FilterForm({ text, filter }: { text: string; filter: Filter }) {
  const [typed, type] = useState(text);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => type(text), [text]);
  const without = (gone: Term) => searchLink(textOf(filter.terms.filter((term) => term !== gone)));
  return (
    <search class="filter">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          goTo(searchLink(typed.trim()));
        }}
      >
        <input
          id="filter"
          ref={input}
          type="search"
          aria-label="Filter"
          placeholder="state:failed klass:email.* tag:acme since:2h"
          spellcheck={false}
          autocomplete="off"
          value={typed}
          onInput={(event) => type(event.currentTarget.value)}
        />
        <button type="submit" class="primary">
          Search
        </button>
      </form>
      {filter.terms.length > 0 && (
        <ul class="chips" aria-label="Criteria">
          {filter.terms.map((term) => (
            <li key={wordOf(term)} class="chip">
              <span class="quiet">{term.field}</span> {term.value}
              <a href={without(term)} aria-label={`Without ${wordOf(term)}`}>
                ✕
              </a>
            </li>
          ))}
        </ul>
      )}
      <Suggestions
        typed={typed}
        add={(word) => {
          type(
            typed === "" || typed.endsWith(" ")
              ? typed + word
              : `${typed.replace(/\S*$/, "")}${word}`,
          );
          input.current?.focus();
        }}
      />
    </search>
  );
}

/** A lone jid may be the whole one: then its job is offered at once. */
function Exactly({ terms }: { terms: readonly Term[] }) {
  const [first] = terms;
  const jid = terms.length === 1 && first?.field === "jid" ? first.value : undefined;
  const [found, set] = useState<string>();
  useEffect(() => {
    set(undefined);
    if (jid === undefined) return undefined;
    const leaving = new AbortController();
    job(jid, leaving.signal).then(
      () => set(jid),
      () => undefined,
    );
    return () => leaving.abort();
  }, [jid]);
  if (found === undefined) return null;
  return (
    <p class="exactly">
      There is a job of exactly this jid: <a href={jobLink(found)}>{found}</a>
    </p>
  );
}

function Results({ text, filter }: { text: string; filter: Filter }) {
  const { terms } = filter;
  const criteria = criteriaOf(terms, now());
  const chosen = Object.keys(criteria).length > 0;
  return (
    <JobList
      name={`search ${text}`}
      criteria={criteria}
      about={chosen ? "jobs that are found" : "jobs"}
      empty={
        <Empty title="No job meets all of this">
          {terms.some(({ field, value }) => field === "klass" && /\*./.test(value))
            ? "In a klass, a star stands for the rest only at the end, as in mail.*."
            : terms.length > 1
              ? "Take a criterion away: all of them must hold at once."
              : "Completed jobs are kept for a while only, and canceled ones not at all."}
        </Empty>
      }
    />
  );
}
