import { createHash, timingSafeEqual } from "node:crypto";
import { invalid } from "../client/times.ts";
import { HttpError } from "./errors.ts";
import { ROLES, type Role, type Route } from "./route.ts";

/** Who calls, as far as that is known. */
export interface Caller {
  /** The name of the token; `anonymous` where there are none. */
  name: string;
  roles: readonly Role[];
  address: string;
}

/** Someone who may call, and what for. The token itself is not kept. */
export interface Token {
  name: string;
  roles: readonly Role[];
  digest: Buffer;
}

/** So short a token could be guessed. */
const MIN_TOKEN = 16;
const ENTRY = /^(\S+)\s+(\S+)\s+(\S+)$/;

const digestOf = (token: string) => createHash("sha256").update(token).digest();

/**
 * Reads tokens, one on each line or between semicolons: `name role[+role] token`. What follows a `#`
 * at the beginning of a line is a comment. `source` is what an error calls the text, which it never
 * repeats.
 */
export function tokensFrom(text: string, source: string): Token[] {
  const lines = text.split(/[\n;]/).map((line) => line.trim());
  const tokens = lines.flatMap((line, i) =>
    line === "" || line.startsWith("#") ? [] : [tokenFrom(line, `${source}, entry ${i + 1}`)],
  );
  if (tokens.length === 0) throw invalid(`${source} has no tokens: write "name role token" in it`);
  const names = new Set(tokens.map(({ name }) => name));
  if (names.size < tokens.length) throw invalid(`${source} has two tokens of the same name`);
  checkTokens(tokens, source);
  return tokens;
}

/** Rejects a list without tokens, and one in which two names share a token. */
export function checkTokens(tokens: readonly Token[], source: string): void {
  if (tokens.length === 0) throw invalid(`${source} has no tokens. Add one, or omit ${source}`);
  const names = new Map<string, string>();
  for (const { name, digest } of tokens) {
    const key = digest.toString("base64");
    const first = names.get(key);
    if (first !== undefined) {
      const both = `${JSON.stringify(first)} and ${JSON.stringify(name)}`;
      throw invalid(`${source} gives ${both} the same token. Give each name a token of its own`);
    }
    names.set(key, name);
  }
}

function tokenFrom(line: string, where: string): Token {
  const [, name, list, token] = ENTRY.exec(line) ?? [];
  if (name === undefined || list === undefined || token === undefined) {
    throw invalid(`${where} must be three words: a name, a role such as put+read, and the token`);
  }
  const roles = list.split("+");
  const wrong = roles.find((role) => !(ROLES as readonly string[]).includes(role));
  if (wrong !== undefined) {
    throw invalid(`${where} has a role that there is not; the roles are ${ROLES.join(", ")}`);
  }
  if (token.length < MIN_TOKEN) {
    throw invalid(
      `${where} has a token of less than ${MIN_TOKEN} characters, which can be guessed`,
    );
  }
  return { name, roles: roles as Role[], digest: digestOf(token) };
}

/** Tells who calls, by their token. */
export class Doorkeeper {
  readonly #tokens: readonly Token[] | undefined;

  /** Without tokens everybody may do everything. */
  constructor(tokens: readonly Token[] | undefined) {
    this.#tokens = tokens;
  }

  /** Who calls, if they may; refuses whoever may not. */
  admit(route: Route | undefined, header: string | undefined, address: string): Caller {
    if (this.#tokens === undefined) return { name: "anonymous", roles: ["admin"], address };
    const role = route?.role ?? "read";
    const token = tokenIn(header);
    const known = token === undefined ? undefined : this.#find(token);
    if (known === undefined) {
      if (role === "open") return { name: "anonymous", roles: [], address };
      throw new HttpError(
        401,
        "NO_TOKEN",
        "Send a token that this server knows, as a Bearer token",
      );
    }
    const { name, roles } = known;
    if (role !== "open" && !mayAct(roles, role)) {
      const has = roles.join("+");
      throw new HttpError(
        403,
        "NOT_PERMITTED",
        `This needs the role ${role}, and ${name} has ${has}`,
      );
    }
    return { name, roles, address };
  }

  /** All are compared, whichever fits, so that the time it takes tells nothing. */
  #find(token: string): Token | undefined {
    const digest = digestOf(token);
    let found: Token | undefined;
    for (const one of this.#tokens!) if (timingSafeEqual(one.digest, digest)) found = one;
    return found;
  }
}

const mayAct = (roles: readonly Role[], role: Role) =>
  roles.includes("admin") || roles.includes(role);

/** The token of `Authorization: Bearer`, or the password of `Basic`, which browsers can ask for. */
function tokenIn(header: string | undefined): string | undefined {
  const [, scheme = "", value = ""] = /^(bearer|basic) +(\S+) *$/i.exec(header ?? "") ?? [];
  if (scheme.toLowerCase() === "bearer") return value;
  if (scheme === "") return undefined;
  const text = Buffer.from(value, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon === -1 ? undefined : text.slice(colon + 1);
}
