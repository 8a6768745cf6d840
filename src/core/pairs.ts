/** Adds a field that few jobs have, and the mark that there is such a one: see job.ts. */
export function addRare(pairs: (string | number)[], name: string, value: string | number): void {
  add(pairs, name, value);
  add(pairs, "more", "1");
}

/** Adds two members to a list; pushing both at once would need a runtime helper in Lua. */
export function add<T>(list: T[], first: T, second: T): void {
  const length = list.length;
  list[length] = first;
  list[length + 1] = second;
}
