import type { IncomingHttpHeaders } from "node:http";
import { HttpError } from "./errors.ts";
import type { Route } from "./route.ts";

/** What is looked at of a request before anything else. */
export interface Arrival {
  /** As the client gave it, or a proxy that is trusted. */
  host: string;
  headers: IncomingHttpHeaders;
  /** The server's address on this connection. */
  localAddress?: string | undefined;
  /** What the request line asks for: a path, or a whole address. */
  target?: string | undefined;
  /** Names and values in turn, as they came: `headers` has the first Host alone. */
  rawHeaders?: readonly string[];
}

/** Hosts that always mean this machine. */
const LOCAL = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Keeps foreign pages out: one that a browser shows could send requests here, and with a name of its
 * own that points to this machine it could even read the answers.
 */
export class Borders {
  readonly #hosts: ReadonlySet<string> | undefined;
  readonly #origins: ReadonlySet<string>;
  readonly #hasTokens: boolean;

  /**
   * `hosts` are names besides those of this machine, or `any`; `origins` are pages that may act here;
   * `hasTokens` says that every caller needs a token.
   */
  constructor(hosts: readonly string[], origins: readonly string[], hasTokens = false) {
    this.#hasTokens = hasTokens;
    const all = [...LOCAL, ...hosts].map((host) => host.toLowerCase());
    this.#hosts = hosts.includes("any") ? undefined : new Set(all);
    this.#origins = new Set(origins.map((origin) => origin.toLowerCase()));
  }

  /** Refuses what comes under a name that is not ours, or acts on behalf of a foreign page. */
  check(route: Route | undefined, arrival: Arrival): void {
    checkOneHost(arrival.rawHeaders ?? []);
    if (!this.#takesAnyHost(route)) this.#checkHosts(arrival);
    const hasBody = route?.method === "POST" || route?.method === "PUT";
    if (hasBody) checkCoding(arrival.headers);
    if (route?.acts !== true) return;
    this.#checkOrigin(arrival);
    if (hasBody) checkMedia(arrival.headers);
  }

  /** Foreign pages have no token, so a route that demands one needs no other protection. */
  #takesAnyHost(route: Route | undefined): boolean {
    return route?.hosts === "any" || (route?.hosts === "authorized" && this.#hasTokens);
  }

  #checkHosts({ host, target = "", localAddress }: Arrival): void {
    this.#checkHost(host, localAddress);
    // What a proxy or another server would go by, in place of the Host header.
    if (/^[a-z]+:/i.test(target)) this.#checkHost(hostOf(target), localAddress);
  }

  #checkHost(host: string, localAddress: string | undefined): void {
    if (this.#hosts === undefined) return;
    const name = host.toLowerCase().replace(/:\d*$/, "");
    if (this.#hosts.has(name)) return;
    // No foreign page can be at the server's own address.
    if (localAddress !== undefined && name === hostOfAddress(localAddress)) return;
    const message =
      "This server does not answer under that host. Allow it with --allow-host, or the option hosts";
    throw new HttpError(421, "UNKNOWN_HOST", message);
  }

  #checkOrigin({ host, headers }: Arrival): void {
    const { origin, referer } = headers;
    if (origin !== undefined) {
      if (this.#origins.has(origin.toLowerCase())) return;
      if (hostOf(origin) !== host.toLowerCase()) throw foreign();
    }
    const site = headers["sec-fetch-site"];
    if (site !== undefined && site !== "same-origin" && site !== "none") throw foreign();
    // Browsers that say neither, when they load a picture for instance, do say from where.
    const isSilent = origin === undefined && site === undefined;
    if (isSilent && referer !== undefined && hostOf(referer) !== host.toLowerCase()) {
      if (!this.#origins.has(originOf(referer))) throw foreign();
    }
  }
}

function foreign(): HttpError {
  const message = "A page of another origin may not do this; it can be allowed with --allow-origin";
  return new HttpError(403, "FOREIGN_ORIGIN", message);
}

function checkOneHost(rawHeaders: readonly string[]): void {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]!.toLowerCase() === "host") count += 1;
  }
  if (count > 1)
    throw new HttpError(400, "BAD_REQUEST", "The request has more than one Host header");
}

/** Refuses bodies that would have to be unpacked or recoded: read as they are, they would be nonsense. */
function checkCoding(headers: IncomingHttpHeaders): void {
  const coding = headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  if (coding !== "identity" && coding !== "") {
    const shown = JSON.stringify(coding.slice(0, MAX_SHOWN));
    const message = `Content-Encoding ${shown} is not supported; send the body as it is`;
    throw new HttpError(415, "BAD_MEDIA", message);
  }
  const [, charset = "utf-8"] =
    /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(headers["content-type"] ?? "") ?? [];
  if (/^utf-?8$/i.test(charset)) return;
  const shown = JSON.stringify(charset.slice(0, MAX_SHOWN));
  const message = `The charset ${shown} is not supported; send the body in UTF-8`;
  throw new HttpError(415, "BAD_MEDIA", message);
}

/** Characters of a header that an error repeats. */
const MAX_SHOWN = 40;

function checkMedia(headers: IncomingHttpHeaders): void {
  const type = headers["content-type"] ?? "";
  if (/^application\/json *(;|$)/i.test(type)) return;
  throw new HttpError(415, "BAD_MEDIA", "Send Content-Type: application/json, also without a body");
}

/** An address as a Host header has it. Node shows an IPv4 caller of an IPv6 socket as `::ffff:`. */
function hostOfAddress(address: string): string {
  const plain = address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, "");
  return plain.includes(":") ? `[${plain}]` : plain;
}

const parsed = (url: string) => (URL.canParse(url) ? new URL(url) : undefined);
const originOf = (url: string) => parsed(url)?.origin.toLowerCase() ?? "";
const hostOf = (url: string) => parsed(url)?.host.toLowerCase() ?? "";
