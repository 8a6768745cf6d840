import { describe, onTestFinished } from "vitest";
import type { Client } from "../../src/client/client.ts";
import { tokensFrom } from "../../src/http/auth.ts";
import { type Served, type ServeOptions, serve } from "../../src/http/server.ts";
import { openClient, PLACES, type Place } from "../client/every-client.ts";

/** A token of each role, and of what a role alone does not have. */
export const TOKENS = {
  read: "read-0123456789abcdef",
  put: "put-0123456789abcdef",
  work: "work-0123456789abcdef",
  admin: "admin-0123456789abcdef",
} as const;

export const tokens = () =>
  tokensFrom(
    Object.entries(TOKENS)
      .map(([role, token]) => `the-${role} ${role} ${token}`)
      .join("\n"),
    "test",
  );

// biome-ignore lint/suspicious/noExplicitAny: what a test expects of an answer is in its assertion.
export type Answer = { status: number; headers: Headers; body: any; text: string };

/** A server on a real socket, and the client under it. */
export class Bench {
  readonly client: Client;
  readonly served: Served;

  constructor(client: Client, served: Served) {
    this.client = client;
    this.served = served;
  }

  get url(): string {
    return this.served.url.replace(/\/$/, "");
  }

  get port(): number {
    return this.served.port;
  }

  async ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const json = { "content-type": "application/json" };
    const sends = method === "POST" || method === "PUT";
    const response = await fetch(this.url + path, {
      method,
      headers: { ...(sends && json), ...headers },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      redirect: "manual",
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
    return {
      status: response.status,
      headers: response.headers,
      body: isJson && text !== "" ? JSON.parse(text) : undefined,
      text,
    };
  }

  get(path: string, headers?: Record<string, string>): Promise<Answer> {
    return this.ask("GET", path, undefined, headers);
  }

  post(path: string, body: unknown = {}, headers?: Record<string, string>): Promise<Answer> {
    return this.ask("POST", path, body, headers);
  }

  put(path: string, body: unknown = {}, headers?: Record<string, string>): Promise<Answer> {
    return this.ask("PUT", path, body, headers);
  }

  delete(path: string, headers?: Record<string, string>): Promise<Answer> {
    return this.ask("DELETE", path, undefined, headers);
  }
}

export type OpenBench = (options?: ServeOptions) => Promise<Bench>;

/** A server over the client, which stops when the test is over. */
export async function served(client: Client, options: ServeOptions = {}): Promise<Bench> {
  // Upkeep would come between what a test does; those that are about it ask for it.
  const server = await serve(client, { port: 0, upkeep: false, grace: "1s", ...options });
  onTestFinished(() => server.stop());
  return new Bench(client, server);
}

/** Runs the tests over both engines; what they leave must agree. */
export function everyServer(name: string, tests: (open: OpenBench, place: Place) => void): void {
  describe.each(PLACES)(`${name} (%s)`, (place) => {
    tests(async (options) => {
      const client = await openClient(place, { name: "server" });
      onTestFinished(async () => {
        const problems = await client.maintenance.check();
        await client.close();
        if (problems.length > 0) throw new Error(`check found ${JSON.stringify(problems)}`);
      });
      return served(client, options);
    }, place);
  });
}
