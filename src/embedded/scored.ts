import type { Scored } from "./ranking-statements.ts";
import { scoreText } from "./score.ts";

/** Members with scores as rows give them, as the core wants them. */

export function membersOf(rows: Scored[]): string[] {
  return rows.map(([member]) => member);
}

export function withScores(rows: Scored[]): string[] {
  return rows.flatMap(([member, score]) => [member, scoreText(score)]);
}
