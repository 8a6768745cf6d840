import { useMemo, useState } from "preact/hooks";
import { laidOut } from "../../json/laid-out.ts";
import { entriesOf } from "../../json/scan.ts";
import { exact, plural } from "../lib/format.ts";
import { Copy } from "./common.tsx";
import { Scroll } from "./scroll.tsx";

/** Children of one list that are drawn at once, and characters of one text. */
const MAX_CHILDREN = 100;
const MAX_CHARACTERS = 400;
/** Lists down to here are open from the beginning. */
const OPEN_DEPTH = 2;
/** Characters of the raw text that are drawn. */
const MAX_RAW = 200_000;

/**
 * JSON as a tree, or as its text. The tree is made of the text: numbers, the order of members and
 * duplicates are shown as they are, and what is copied is the text itself.
 */
export function Json({ text, name }: { text: string; name: string }) {
  const [isRaw, setRaw] = useState(false);
  return (
    <div class="json">
      <div class="json-head">
        <button
          type="button"
          class="quiet-button"
          aria-pressed={isRaw}
          onClick={() => setRaw(!isRaw)}
        >
          Raw
        </button>
        <Copy text={text} label="Copy" />
      </div>
      {isRaw ? <Raw text={text} name={name} /> : <Node text={text} depth={0} />}
    </div>
  );
}

function Raw({ text, name }: { text: string; name: string }) {
  const shown = useMemo(() => laidOut(text), [text]);
  return (
    <Scroll class="raw" label={`${name} as text`}>
      <pre>
        {shown.slice(0, MAX_RAW)}
        {shown.length > MAX_RAW && `\n… ${exact(shown.length - MAX_RAW)} more characters`}
      </pre>
    </Scroll>
  );
}

/** The classes of what is neither a string nor a list nor an object, by its first letter. */
const KINDS: Readonly<Record<string, string>> = { t: "boolean", f: "boolean", n: "null" };

function Node({ text, depth }: { text: string; depth: number }) {
  const first = text.trimStart()[0] ?? "";
  if (first === "{" || first === "[") return <Many text={text} depth={depth} />;
  if (first === '"') return <Text text={JSON.parse(text)} />;
  return <span class={`json-${KINDS[first] ?? "number"}`}>{text}</span>;
}

function Text({ text }: { text: string }) {
  const [isOpen, open] = useState(false);
  const isLong = text.length > MAX_CHARACTERS && !isOpen;
  return (
    <span class="json-string">
      “{isLong ? `${text.slice(0, MAX_CHARACTERS)}…` : text}”
      {isLong && (
        <button type="button" class="quiet-button" onClick={() => open(true)}>
          all {exact(text.length)} characters
        </button>
      )}
    </span>
  );
}

function Many({ text, depth }: { text: string; depth: number }) {
  const [shown, show] = useState(MAX_CHILDREN);
  const entries = useMemo(() => entriesOf(text) ?? [], [text]);
  const isList = text.trimStart().startsWith("[");
  const size = entries.length;
  if (size === 0) return <span class="quiet">{isList ? "empty list" : "empty object"}</span>;
  return (
    <details class="json-many" open={depth < OPEN_DEPTH && size <= MAX_CHILDREN}>
      <summary>
        <span class="quiet">{isList ? `list of ${exact(size)}` : plural(size, "member")}</span>
      </summary>
      <ul>
        {entries.slice(0, shown).map(({ name, from, to }, i) => (
          <li key={i}>
            <span class="json-name">{name ?? i}</span>{" "}
            <Node text={text.slice(from, to)} depth={depth + 1} />
          </li>
        ))}
        {size > shown && (
          <li>
            <button
              type="button"
              class="quiet-button"
              onClick={() => show(shown + 10 * MAX_CHILDREN)}
            >
              {exact(size - shown)} more
            </button>
          </li>
        )}
      </ul>
    </details>
  );
}
