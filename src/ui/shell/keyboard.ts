import { currentPlace, goTo, linkTo } from "../lib/route.ts";
import { PAGES } from "./header.tsx";
import { showHelp } from "./help.tsx";
import { nextTheme } from "./theme.ts";

/** How long `g` waits for the second key, in milliseconds. */
const CHORD_MS = 1500;

let chordAt = Number.NEGATIVE_INFINITY;

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.matches("input:not([type=checkbox]), textarea, select") || target.isContentEditable);

const rows = () => [...document.querySelectorAll<HTMLElement>("main [data-row]")];

/** Goes some rows on, from the one that has the focus. */
function step(by: number): void {
  const all = rows();
  const row = document.activeElement?.closest("tr");
  const at = all.findIndex((one) => one === document.activeElement || one.closest("tr") === row);
  const from = row === null || at === -1 ? (by > 0 ? -1 : all.length) : at;
  const next = all[Math.min(Math.max(from + by, 0), all.length - 1)];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

const press = (selector: string) => document.querySelector<HTMLElement>(selector)?.click();

function selectRow(): void {
  document.activeElement
    ?.closest("tr")
    ?.querySelector<HTMLElement>("input[type=checkbox]")
    ?.click();
}

function focusFind(): void {
  const input = document.querySelector<HTMLInputElement>("#filter, #find");
  input?.focus();
  input?.select();
}

function up(): void {
  const { path } = currentPlace();
  const inQueue = document.querySelector<HTMLAnchorElement>("main a[data-up]");
  if (inQueue !== null) inQueue.click();
  else goTo(linkTo(PAGES.some(([page]) => page === path[0]) ? path.slice(0, 1) : []));
}

const ACTS: Record<string, () => void> = {
  "?": showHelp,
  "/": focusFind,
  j: () => step(1),
  k: () => step(-1),
  x: selectRow,
  n: () => press("[data-next]"),
  p: () => press("[data-first]"),
  u: up,
  t: nextTheme,
};

function onKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape" && isTyping(event.target)) {
    (event.target as HTMLElement).blur();
    return;
  }
  if (isTyping(event.target) || document.querySelector("dialog[open]") !== null) return;
  const isSecond = event.timeStamp - chordAt < CHORD_MS;
  chordAt = event.key === "g" && !isSecond ? event.timeStamp : Number.NEGATIVE_INFINITY;
  const page = isSecond ? PAGES.find(([, , key]) => key === event.key) : undefined;
  if (page !== undefined) goTo(linkTo(page[0] === "" ? [] : [page[0]]));
  else if (ACTS[event.key] !== undefined) ACTS[event.key]!();
  else return;
  event.preventDefault();
}

export function listenToKeys(): void {
  document.addEventListener("keydown", onKey);
}
