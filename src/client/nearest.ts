/** Changes of a letter after which a name is another; so is one of which half is changed. */
const FAR = 3;

/** The known name that was most likely meant; undefined when none is near. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const measured = known
    .map((one) => ({ one, away: distance(name.toLowerCase(), one.toLowerCase()) }))
    .filter(({ one, away }) => away <= FAR && away * 2 <= one.length);
  return measured.toSorted((a, b) => a.away - b.away)[0]?.one;
}

/** Letters to put, drop or change on the way from one text to the other. */
function distance(from: string, to: string): number {
  // A long text is far from any name; what is measured stays small.
  if (Math.abs(from.length - to.length) > FAR) return FAR + 1;
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 0; i < from.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j++) {
      const changed = row[j]! + (from[i] === to[j] ? 0 : 1);
      next.push(Math.min(changed, row[j + 1]! + 1, next[j]! + 1));
    }
    row = next;
  }
  return row[to.length]!;
}

/** The sentence for an option that does not exist; `where` is such as `of put`. */
export function unknownOption(where: string, name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  const hint =
    meant === undefined ? `Known options: ${known.join(", ")}` : `Did you mean "${meant}"?`;
  return `Unknown option ${JSON.stringify(name)} ${where}. ${hint}`;
}
