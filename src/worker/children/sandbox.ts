import { createHash } from "node:crypto";
import { readlinkSync } from "node:fs";
import { lstat, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { QlessError } from "../../engine.ts";

/** Folders of dead workers that one start removes. */
const MAX_REMOVED = 100;

/**
 * Where process ids mean the same as here: containers may share a folder for temporary files, and a
 * process that cannot be seen from here may live in another.
 */
function realm(): string {
  let namespace = "";
  try {
    namespace = readlinkSync("/proc/self/ns/pid");
  } catch {
    // Only Linux has them.
  }
  return createHash("sha256").update(`${hostname()} ${namespace}`).digest("hex").slice(0, 8);
}

/** The working folders of a worker's children, each alone in its own. */
export class Sandbox {
  readonly root: string;
  #made = 0;

  private constructor(root: string) {
    this.root = root;
  }

  static async open(folder = tmpdir()): Promise<Sandbox> {
    try {
      const own = `qless-${realm()}-`;
      // Only this user can look into what is made so.
      const root = await mkdtemp(join(folder, `${own}${process.pid}-`));
      await removeLeft(folder, own).catch(() => {});
      return new Sandbox(root);
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      const what = `No folders for children can be made in ${folder} (${code})`;
      throw new QlessError("NO_FOLDER", `${what}: say another as children.folder`, { cause });
    }
  }

  /** A folder that nobody has had before. */
  async make(): Promise<string> {
    this.#made += 1;
    const folder = join(this.root, String(this.#made));
    await mkdir(folder);
    return folder;
  }

  async close(): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }
}

/** Removes the folders of workers that were killed. What cannot be removed is left to the system. */
async function removeLeft(folder: string, own: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => {
    const pid = name.startsWith(own)
      ? /^(\d+)-\w{6}$/.exec(name.slice(own.length))?.[1]
      : undefined;
    return pid !== undefined && !lives(Number(pid));
  });
  for (const name of names.slice(0, MAX_REMOVED)) {
    const path = join(folder, name);
    const { uid } = await lstat(path);
    if (uid === (process.getuid?.() ?? uid)) await discard(path);
  }
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Takes away whatever lies in a folder; links are taken away and not followed. */
export async function empty(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    await rm(join(folder, name), { recursive: true, force: true });
  }
}

/** Takes a folder away that is no longer needed; what cannot go is left to the system. */
export async function discard(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch(() => {});
}
