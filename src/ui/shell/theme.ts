import { Store } from "../lib/store.ts";

const KEY = "qless-theme";
const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

function stored(): Theme {
  try {
    const kept = localStorage.getItem(KEY) as Theme | null;
    return kept !== null && THEMES.includes(kept) ? kept : "auto";
  } catch {
    return "auto";
  }
}

export const theme = new Store<Theme>(stored());

/** What the system says, unless somebody chose. */
export function applyTheme(): void {
  document.documentElement.dataset.theme = theme.value;
  document.dispatchEvent(new Event("qless-theme"));
}

export function nextTheme(): void {
  theme.set(THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length]!);
  try {
    localStorage.setItem(KEY, theme.value);
  } catch {
    // It holds as long as the page.
  }
  applyTheme();
}
