import type { Redis } from "ioredis";
import { type Reply, Unreachable } from "../engine.ts";
import type { Artefacts, Manifest } from "./artefacts.ts";
import { perform, type Task } from "./call.ts";
import type { Connection } from "./connection.ts";
import { isUnloadable } from "./errors.ts";
import { isNewer } from "./version.ts";

/** A library as its text and what it says of itself. */
interface Edition {
  code: string;
  version: string;
}

/** Each round has found that another process was quicker. */
const MAX_ROUNDS = 10;

/**
 * Brings the function library into servers.
 *
 * Processes of several versions share a server and may start at once. The newest version wins,
 * whoever comes last: an older library never stays in the place of a newer one.
 */
export class FunctionLoader {
  readonly #connection: Connection;
  readonly #artefacts: Artefacts;
  /** The task of asking a server for its version, which depends on what the user may call. */
  readonly #asking: (node: Redis | undefined) => Task;

  constructor(
    connection: Connection,
    artefacts: Artefacts,
    asking: (node: Redis | undefined) => Task,
  ) {
    this.#connection = connection;
    this.#artefacts = artefacts;
    this.#asking = asking;
  }

  /** Sees to it that this server has our version of the library, or a newer one. */
  async install(node: Redis | undefined): Promise<void> {
    for (let round = 1; ; round++) {
      const present = await this.#present(node);
      if (present !== undefined && !this.#mustReplace(present)) return;
      try {
        return await this.#load(node, present);
      } catch (error) {
        // Another build of our own version will do where we may not load ours.
        if (isUnloadable(error) && present?.version === this.#artefacts.manifest.version) return;
        if (round === MAX_ROUNDS || !isOvertaken(error)) throw error;
      }
    }
  }

  async #present(node: Redis | undefined): Promise<Manifest | undefined> {
    try {
      return manifestFrom(await perform(this.#connection, this.#asking(node)));
    } catch (error) {
      if (error instanceof Unreachable && error.code === "NO_FUNCTION") return undefined;
      throw error;
    }
  }

  #mustReplace(present: Manifest): boolean {
    const { version, hash } = this.#artefacts.manifest;
    // The same version with another hash is someone at work on the library.
    return (
      isNewer(version, present.version) || (version === present.version && hash !== present.hash)
    );
  }

  async #load(node: Redis | undefined, present: Manifest | undefined): Promise<void> {
    const { functions: code, manifest } = this.#artefacts;
    if (present !== undefined) return this.#replace(node, { code, version: manifest.version });
    await perform(this.#connection, task(["FUNCTION", "LOAD", code], node));
  }

  /** Two versions may replace an old one at once: who finds a newer in its hands puts it back. */
  async #replace(node: Redis | undefined, edition: Edition): Promise<void> {
    const replaced = await this.#exchange(node, edition.code);
    if (replaced === undefined || !isNewer(replaced.version, edition.version)) return;
    await this.#replace(node, replaced);
  }

  /** Puts a library in the place of the present one, and returns that. */
  async #exchange(node: Redis | undefined, code: string): Promise<Edition | undefined> {
    const before = [
      ["MULTI"],
      this.#asking(node).words(),
      ["FUNCTION", "LIST", "LIBRARYNAME", "qless", "WITHCODE"],
      ["FUNCTION", "LOAD", "REPLACE", code],
    ];
    const answers = await perform(this.#connection, { ...task(["EXEC"], node), before });
    const [version, listed] = Array.isArray(answers) ? answers : [];
    const { version: number } = manifestFrom(version ?? "");
    const text = codeIn(listed ?? "");
    return text === undefined ? undefined : { code: text, version: number };
  }
}

/** Loading the same library twice changes nothing. */
function task(words: readonly string[], node: Redis | undefined): Task {
  return { words: () => words, writes: true, repeatable: true, node };
}

function manifestFrom(reply: Reply): Manifest {
  const [version = "", hash = ""] = typeof reply === "string" ? reply.split(" ") : [];
  return { version, hash };
}

/** The text in the answer of FUNCTION LIST: one library, as names and values in turn. */
function codeIn(listed: Reply): string | undefined {
  const [library] = Array.isArray(listed) ? listed : [];
  const fields = Array.isArray(library) ? library : [];
  const code = fields[fields.indexOf("library_code") + 1];
  return typeof code === "string" ? code : undefined;
}

function isOvertaken(error: unknown): boolean {
  return error instanceof Error && /^ERR Library '\w+' already exists/.test(error.message);
}
