import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Scroll } from "./scroll.tsx";

export interface Column<Row> {
  name: string;
  cell: (row: Row) => ComponentChildren;
  /** Numbers stand to the right. */
  isNumber?: boolean;
  /** Left out where there is little room. */
  isWide?: boolean;
  /** What rows are sorted by when the heading is pressed. */
  by?: (row: Row) => string | number;
  class?: string;
}

export interface Selection {
  chosen: ReadonlySet<string>;
  choose(ids: readonly string[], isChosen: boolean): void;
}

interface Props<Row> {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  id: (row: Row) => string;
  selection?: Selection | undefined;
  tone?: (row: Row) => string;
}

interface Sorting {
  name: string;
  isDown: boolean;
}

/** The one table: rows keep their place, their selection and their focus when they are drawn anew. */
export function Table<Row>(props: Props<Row>) {
  const [sorting, sort] = useState<Sorting | undefined>(undefined);
  const { caption, columns, id, selection, tone } = props;
  const rows = sorted(props.rows, columns, sorting);
  return (
    <Scroll class="table-frame" label={caption}>
      <table>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {selection !== undefined && <ChooseAll ids={rows.map(id)} selection={selection} />}
            {columns.map((column) => (
              <Heading key={column.name} column={column} sorting={sorting} sort={sort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={id(row)} class={tone?.(row)}>
              {selection !== undefined && <Choose id={id(row)} selection={selection} />}
              {columns.map((column) => (
                <td key={column.name} class={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

const classOf = <Row,>({ isNumber, isWide, class: name }: Column<Row>) =>
  [isNumber && "number", isWide && "wide", name].filter(Boolean).join(" ");

function sorted<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sorting: Sorting | undefined,
): readonly Row[] {
  const by = columns.find(({ name }) => name === sorting?.name)?.by;
  if (by === undefined || sorting === undefined) return rows;
  const sign = sorting.isDown ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [left, right] = [by(a), by(b)];
    return left < right ? -sign : left > right ? sign : 0;
  });
}

function Heading<Row>(props: {
  column: Column<Row>;
  sorting: Sorting | undefined;
  sort: (sorting: Sorting | undefined) => void;
}) {
  const { column, sorting, sort } = props;
  const { name, by } = column;
  if (by === undefined) {
    return (
      <th scope="col" class={classOf(column)}>
        {name}
      </th>
    );
  }
  const isSorted = sorting?.name === name;
  const next = !isSorted
    ? { name, isDown: false }
    : sorting.isDown
      ? undefined
      : { name, isDown: true };
  const order = !isSorted ? "none" : sorting.isDown ? "descending" : "ascending";
  return (
    <th scope="col" class={classOf(column)} aria-sort={order}>
      <button
        type="button"
        class="sort"
        onClick={() => sort(next)}
        title="Sort the rows of this page"
      >
        {name}
        <span aria-hidden="true">{isSorted ? (sorting.isDown ? " ↓" : " ↑") : ""}</span>
      </button>
    </th>
  );
}

function ChooseAll({ ids, selection }: { ids: readonly string[]; selection: Selection }) {
  const chosen = ids.filter((id) => selection.chosen.has(id)).length;
  const isAll = ids.length > 0 && chosen === ids.length;
  return (
    <th scope="col" class="choose">
      <input
        type="checkbox"
        aria-label="Select all rows of this page"
        checked={isAll}
        indeterminate={chosen > 0 && !isAll}
        onChange={() => selection.choose(ids, !isAll)}
      />
    </th>
  );
}

function Choose({ id, selection }: { id: string; selection: Selection }) {
  const isChosen = selection.chosen.has(id);
  return (
    <td class="choose">
      <input
        type="checkbox"
        aria-label={`Select ${id}`}
        checked={isChosen}
        onChange={() => selection.choose([id], !isChosen)}
      />
    </td>
  );
}

/** What is selected among rows that come and go. */
export function useSelection(): Selection & { clear(): void } {
  const [chosen, set] = useState<ReadonlySet<string>>(new Set());
  const choose = (ids: readonly string[], isChosen: boolean) =>
    set((before) => {
      const after = new Set(before);
      for (const id of ids) {
        if (isChosen) after.add(id);
        else after.delete(id);
      }
      return after;
    });
  return { chosen, choose, clear: () => set(new Set()) };
}
