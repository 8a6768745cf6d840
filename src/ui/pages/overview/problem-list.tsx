import { useState } from "preact/hooks";
import { Shape } from "../../parts/state.tsx";
import type { Problem } from "./problems.ts";

const SHAPES = { bad: "failed", warned: "stalled", note: "paused" } as const;
const WORDS = { bad: "Problem", warned: "Warning", note: "Note" } as const;
/** Problems shown at first. */
const FIRST = 6;

/** What needs somebody, before everything else; one line if nothing does. */
export function Problems({ problems }: { problems: readonly Problem[] }) {
  const [isOpen, open] = useState(false);
  if (problems.length === 0) {
    return (
      <p class="all-well" role="status">
        <Shape of="complete" /> Nothing needs you: no job is stalled, and every queue with work has
        somebody who works on it.
      </p>
    );
  }
  const shown = isOpen ? problems : problems.slice(0, FIRST);
  return (
    <section class="problems" aria-label="Problems">
      <ul>
        {shown.map(({ key, tone, text, link }) => (
          <li key={key} class={tone}>
            <a href={link}>
              <Shape of={SHAPES[tone]} />
              <span class="hidden">{WORDS[tone]}: </span>
              {text}
            </a>
          </li>
        ))}
      </ul>
      {problems.length > FIRST && !isOpen && (
        <button type="button" class="quiet-button" onClick={() => open(true)}>
          {problems.length - FIRST} more
        </button>
      )}
    </section>
  );
}
