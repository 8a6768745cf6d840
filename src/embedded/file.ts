import { accessSync, closeSync, constants, fchmodSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf, explained, outage } from "./outage.ts";

/** How often a running engine looks whether the file is still the one it opened. */
const LOOK_MS = 250;

/** Creates the file for its owner alone where there is none, and refuses one we could not use. */
export function prepareFile(file: string): void {
  try {
    accessSync(dirname(file), constants.W_OK | constants.X_OK);
    if (!createFile(file)) checkFile(file);
  } catch (error) {
    throw explained(error, file);
  }
}

/** Creates the file if there is none, and says whether it did. */
function createFile(file: string): boolean {
  const { O_CREAT, O_EXCL, O_RDWR } = constants;
  let descriptor: number;
  try {
    descriptor = openSync(file, O_CREAT | O_EXCL | O_RDWR, 0o600);
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
  fchmodSync(descriptor, 0o600);
  closeSync(descriptor);
  return true;
}

// It asks and does not open. To open and close the file here would drop the locks that other
// connections of this process hold on it (POSIX has it so), and one of them could lose its log.
function checkFile(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile()) throw outage("NOT_A_FILE", file);
  accessSync(file, constants.R_OK | constants.W_OK);
}

/** Makes a function that throws once the path no longer leads to the file it leads to now. */
export function watchFile(file: string): () => void {
  const opened = statSync(file);
  let next = 0;
  return () => {
    const now = performance.now();
    if (now < next) return;
    const found = statSync(file, { throwIfNoEntry: false });
    // Writing on would be answered as done, and be lost with the file that nobody can open.
    if (found?.ino !== opened.ino || found.dev !== opened.dev) throw outage("FILE_REPLACED", file);
    next = now + LOOK_MS;
  };
}
