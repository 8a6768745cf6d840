import type { IncomingHttpHeaders } from "node:http";
import { HttpError } from "./errors.ts";
import type { Route } from "./route.ts";

/** What is looked at of a request before anything else. */
export interface Arrival {
  /** As the client gave it, or a proxy that is trusted. */
  host: string;
  headers: IncomingHttpHeaders;
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

  /** `hosts` are names besides those of this machine, or `any`; `origins` are pages that may act here. */
  constructor(hosts: readonly string[], origins: readonly string[]) {
    const all = [...LOCAL, ...hosts].map((host) => host.toLowerCase());
    this.#hosts = hosts.includes("any") ? undefined : new Set(all);
    this.#origins = new Set(origins.map((origin) => origin.toLowerCase()));
  }

  /** Refuses what comes under a name that is not ours, or acts on behalf of a foreign page. */
  check(route: Route | undefined, arrival: Arrival): void {
    this.#checkHost(arrival.host);
    if (route?.acts !== true) return;
    this.#checkOrigin(arrival);
    if (route.method === "POST" || route.method === "PUT") checkMedia(arrival.headers);
  }

  #checkHost(host: string): void {
    if (this.#hosts === undefined) return;
    const name = host.toLowerCase().replace(/:\d*$/, "");
    if (this.#hosts.has(name)) return;
    const message = "This server does not go by that name; it can be allowed with --allow-host";
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

function checkMedia(headers: IncomingHttpHeaders): void {
  const type = headers["content-type"] ?? "";
  if (/^application\/json *(;|$)/i.test(type)) return;
  throw new HttpError(415, "BAD_MEDIA", "Send Content-Type: application/json, also without a body");
}

const parsed = (url: string) => (URL.canParse(url) ? new URL(url) : undefined);
const originOf = (url: string) => parsed(url)?.origin.toLowerCase() ?? "";
const hostOf = (url: string) => parsed(url)?.host.toLowerCase() ?? "";
