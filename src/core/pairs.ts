/** Adds two members to a list; pushing both at once would need a runtime helper in Lua. */
export function add<T>(list: T[], first: T, second: T): void {
  const length = list.length;
  list[length] = first;
  list[length + 1] = second;
}
