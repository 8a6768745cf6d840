/** A score as Redis says it. */
export function scoreText(score: number): string {
  if (Number.isFinite(score)) return String(score);
  return score < 0 ? "-inf" : "inf";
}

/** The score that is given as a number, or as text such as Redis takes. */
export function scoreOf(given: string | number): number {
  if (typeof given === "number") return given;
  if (given === "-inf") return Number.NEGATIVE_INFINITY;
  return given === "inf" || given === "+inf" ? Number.POSITIVE_INFINITY : Number(given);
}
