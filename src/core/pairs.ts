/** Adds a field that few jobs have, and the mark that there is such a one: see job.ts. */
export function addRare(pairs: (string | number)[], name: string, value: string | number): void {
  add(pairs, name, value);
  add(pairs, "more", "1");
}

/**
 * The list without what an earlier call has left behind the first `length` members. Lists that a
 * call fills from the start are kept for the next: in Lua, making one grow costs more than filling it.
 */
export function cut<T>(list: T[], length: number): T[] {
  if (list.length === length) return list;
  const kept: T[] = [];
  for (let i = 0; i < length; i++) kept[i] = list[i]!;
  return kept;
}

/** Adds two members to a list; pushing both at once would need a runtime helper in Lua. */
export function add<T>(list: T[], first: T, second: T): void {
  const length = list.length;
  list[length] = first;
  list[length + 1] = second;
}
