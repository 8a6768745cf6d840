import { groups, queues, tags } from "../../lib/calls.ts";
import { FIELDS, type Field, wordOf } from "../../lib/filter.ts";
import { useResource } from "../../lib/resource.ts";
import { STATES } from "../../lib/shapes.ts";

/** Words that are offered at a time. */
const MAX_SHOWN = 10;
const SLOW = { every: 60_000 };

const PLAIN: Partial<Record<Field, readonly string[]>> = {
  state: STATES,
  since: ["10m", "1h", "24h", "7d"],
  until: ["10m", "1h", "24h", "7d"],
  order: ["newest", "oldest"],
};

/** What could be said next: fields first, then what there is of the field. */
export function Suggestions({ typed, add }: { typed: string; add: (word: string) => void }) {
  const known = useResource("queues", queues, SLOW).value ?? [];
  const failed = useResource("groups", groups, SLOW).value?.groups ?? [];
  const used = useResource("tags", tags, SLOW).value ?? [];
  const last = /(?:^|\s)([a-z]*)(?::(\S*))?$/.exec(typed);
  const field = last?.[1] ?? "";
  const begun = last?.[2];
  const values: Partial<Record<Field, readonly string[]>> = {
    ...PLAIN,
    queue: known.map(({ name }) => name),
    group: failed.map(({ group }) => group),
    tag: used.map(({ tag }) => tag),
  };
  const words =
    begun === undefined
      ? FIELDS.filter((name) => name.startsWith(field) && !typed.includes(`${name}:`)).map(
          (one) => `${one}:`,
        )
      : (values[field as Field] ?? [])
          .filter((value) => value.startsWith(begun) && value !== begun)
          .map((value) => `${wordOf({ field: field as Field, value })} `);
  if (words.length === 0) return null;
  return (
    <div class="suggestions">
      {words.slice(0, MAX_SHOWN).map((word) => (
        <button key={word} type="button" class="quiet-button" onClick={() => add(word)}>
          {word.trim()}
        </button>
      ))}
    </div>
  );
}
