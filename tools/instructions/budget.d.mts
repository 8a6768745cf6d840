export interface Counts {
  [perCall: string]: { put: number; finish: number };
}

export interface Row {
  perCall: number;
  /** Growth against the base, in percent. */
  put: number;
  finish: number;
  job: number;
  allowed: number | undefined;
  left: number | undefined;
}

export const BUDGET: { readonly [perCall: string]: number };
export function growth(base: number, now: number): number;
export function compare(base: Counts, now: Counts, budget?: { [perCall: string]: number }): Row[];
export function isExceeded(rows: readonly Row[]): boolean;
export function differences(
  recorded: Record<string, unknown>,
  present: Record<string, unknown>,
): string[];
export function budgetTable(rows: readonly Row[]): string;
export function countsTable(counts: Counts): string;
