/** Whether version `a` comes after version `b`, by the rules of semver. */
export function isNewer(a: string, b: string): boolean {
  return compare(a, b) > 0;
}

function compare(a: string, b: string): number {
  const [one, two] = [parts(a), parts(b)];
  const release = compareLists(one.release, two.release);
  if (release !== 0) return release;
  // A version without a pre-release comes after all of its pre-releases.
  if (one.pre.length === 0 || two.pre.length === 0) return two.pre.length - one.pre.length;
  return compareLists(one.pre, two.pre);
}

function parts(version: string): { release: string[]; pre: string[] } {
  const [numbers = "", ...pre] = (version.split("+")[0] ?? "").split("-");
  const name = pre.join("-");
  return { release: numbers.split("."), pre: name === "" ? [] : name.split(".") };
}

function compareLists(a: string[], b: string[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const order = compareWords(a[i], b[i]);
    if (order !== 0) return order;
  }
  return 0;
}

/** Numbers by size and before words; the longer list wins where the other has ended. */
function compareWords(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? -1 : 1;
  const [x, y] = [Number(a), Number(b)];
  if (Number.isNaN(x) && Number.isNaN(y)) return a < b ? -1 : a > b ? 1 : 0;
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) ? 1 : -1;
  return x - y;
}
