import { Store, useStore } from "../lib/store.ts";
import { Dialog } from "../parts/dialog.tsx";
import { PAGES } from "./header.tsx";

const isShown = new Store(false);

export const showHelp = () => isShown.set(true);

export const KEYS: readonly [keys: string, does: string][] = [
  ["?", "Show these keys"],
  ["/", "Find jobs"],
  ["j, k", "Next row, previous row"],
  ["Enter", "Open the row"],
  ["x", "Select the row"],
  ["n, p", "Next page of a list, first page"],
  ["u", "Up: from a job to its queue, from a queue to the overview"],
  ["t", "Light, dark, or as the system says"],
  ["Escape", "Close, or leave a field"],
];

/** Every key there is. */
export function Help() {
  if (!useStore(isShown)) return null;
  return (
    <Dialog title="Keys" close={() => isShown.set(false)} class="help">
      <div class="columns">
        <dl class="keys">
          {KEYS.map(([keys, does]) => (
            <div key={keys}>
              <dt>
                <kbd>{keys}</kbd>
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
        <dl class="keys">
          {PAGES.map(([, name, key]) => (
            <div key={key}>
              <dt>
                <kbd>g {key}</kbd>
              </dt>
              <dd>{name}</dd>
            </div>
          ))}
        </dl>
      </div>
      <p class="quiet">Everything else is reached with Tab, Enter and the space bar.</p>
    </Dialog>
  );
}
