import { useState } from "preact/hooks";
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

/** Data as a tree, or as its text. */
export function Json({ value, name }: { value: unknown; name: string }) {
  const [isRaw, setRaw] = useState(false);
  const text = isRaw ? (JSON.stringify(value, null, 2) ?? "") : "";
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
        <Copy text={JSON.stringify(value, null, 2) ?? ""} label="Copy" />
      </div>
      {isRaw ? (
        <Scroll class="raw" label={`${name} as text`}>
          <pre>
            {text.slice(0, MAX_RAW)}
            {text.length > MAX_RAW && `\n… ${exact(text.length - MAX_RAW)} more characters`}
          </pre>
        </Scroll>
      ) : (
        <Node value={value} depth={0} />
      )}
    </div>
  );
}

function Node({ value, depth }: { value: unknown; depth: number }) {
  if (typeof value === "object" && value !== null) return <Many value={value} depth={depth} />;
  if (typeof value === "string") return <Text text={value} />;
  return <span class={`json-${value === null ? "null" : typeof value}`}>{String(value)}</span>;
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

function Many({ value, depth }: { value: object; depth: number }) {
  const [shown, show] = useState(MAX_CHILDREN);
  const isList = Array.isArray(value);
  const entries: [string, unknown][] = isList
    ? value.slice(0, shown).map((one, i) => [String(i), one])
    : Object.entries(value).slice(0, shown);
  const size = isList ? value.length : Object.keys(value).length;
  if (size === 0) return <span class="quiet">{isList ? "empty list" : "empty object"}</span>;
  return (
    <details class="json-many" open={depth < OPEN_DEPTH && size <= MAX_CHILDREN}>
      <summary>
        <span class="quiet">{isList ? `list of ${exact(size)}` : plural(size, "member")}</span>
      </summary>
      <ul>
        {entries.map(([name, one]) => (
          <li key={name}>
            <span class="json-name">{name}</span> <Node value={one} depth={depth + 1} />
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
