/** The arithmetic and the wording of the comparison with the base state. */

/** How many percent a job may cost more than in the base state, by jobs per call. */
export const BUDGET = { 1: 20, 5: 6, 10: 6, 50: 6 };

/** By how many percent `now` is above `base`. */
export const growth = (base, now) => (now / base - 1) * 100;

/**
 * A row for each number of jobs per call that both have. Budgets apply to the whole job and to its
 * finish alone, so that a cheaper put cannot hide a dearer finish: `spent` is the larger growth.
 */
export function compare(base, now, budget = BUDGET) {
  return Object.keys(now)
    .filter((perCall) => base[perCall] !== undefined)
    .map((perCall) => {
      const [before, after] = [base[perCall], now[perCall]];
      const put = growth(before.put, after.put);
      const finish = growth(before.finish, after.finish);
      const job = growth(before.put + before.finish, after.put + after.finish);
      const spent = Math.max(finish, job);
      const allowed = budget[perCall];
      const left = allowed === undefined ? undefined : allowed - spent;
      return { perCall: Number(perCall), put, finish, job, allowed, left };
    });
}

export const isExceeded = (rows) => rows.some(({ left }) => left !== undefined && left < 0);

/** The facts that differ between two environments, as lines. */
export function differences(recorded, present) {
  const names = new Set([...Object.keys(recorded), ...Object.keys(present)]);
  return [...names]
    .filter((name) => recorded[name] !== present[name])
    .map((name) => `${name}: recorded ${recorded[name]}, here ${present[name]}`);
}

const thousands = (count) => count.toLocaleString("en-US");
const percent = (value) => `${value < 0 ? "" : "+"}${value.toFixed(1)} %`;

/** Lines with columns as wide as their widest cell, numbers on the right. */
function aligned(rows) {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  return rows.map((row) => row.map((cell, i) => cell.padStart(widths[i])).join("  ")).join("\n");
}

export const countsTable = (counts) =>
  aligned([
    ["jobs per call", "put", "finish", "whole job"],
    ...Object.entries(counts).map(([perCall, { put, finish }]) => [
      perCall,
      ...[put, finish, put + finish].map(thousands),
    ]),
  ]);

export const budgetTable = (rows) =>
  aligned([
    ["jobs per call", "put", "finish", "whole job", "budget", "left"],
    ...rows.map(({ perCall, put, finish, job, allowed, left }) => [
      String(perCall),
      ...[put, finish, job].map(percent),
      allowed === undefined ? "none" : percent(allowed),
      left === undefined ? "" : `${left.toFixed(1)} %`,
    ]),
  ]);
