import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { QlessError } from "../../engine.ts";

/** The working folders of a worker's children, each alone in its own. */
export class Sandbox {
  readonly root: string;
  #made = 0;

  private constructor(root: string) {
    this.root = root;
  }

  static async open(folder = tmpdir()): Promise<Sandbox> {
    try {
      // Only this user can look into what is made so.
      return new Sandbox(await mkdtemp(join(folder, "qless-")));
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
