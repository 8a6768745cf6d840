import { describe, expect, test } from "vitest";
import { tokensFrom } from "../../src/http/auth.ts";
import { ROLES, type Role, type Route } from "../../src/http/route.ts";
import { serve } from "../../src/http/server.ts";
import { ROUTES } from "../../src/http/table.ts";
import { openClient } from "../client/every-client.ts";
import { prepare, SAMPLES } from "./samples.ts";
import { type Bench, everyServer, TOKENS, tokens } from "./support.ts";

/** Everybody who may come to the door. */
const CALLERS: Record<string, string | undefined> = {
  nobody: undefined,
  "a token that is not known": "Bearer nobody-0123456789abcdef",
  "a token that is too short": "Bearer x",
  "a token that is too long": `Bearer ${TOKENS.admin}${"x".repeat(2000)}`,
  "half a token": `Bearer ${TOKENS.admin.slice(0, -1)}`,
  "another scheme": `Digest ${TOKENS.admin}`,
  "no scheme": TOKENS.admin,
  ...Object.fromEntries(ROLES.map((role) => [role, `Bearer ${TOKENS[role]}`])),
};

/** What the door says: nothing where the caller is let in. */
function expected({ role }: Route, caller: string): number | undefined {
  if (role === "open") return undefined;
  if (!(ROLES as readonly string[]).includes(caller)) return 401;
  return caller === "admin" || caller === role ? undefined : 403;
}

everyServer("every route and every caller", (open) => {
  test.each(Object.entries(CALLERS))("%s is let in where it may be", async (caller, header) => {
    const bench = await open({ tokens: tokens() });
    const prepared = await prepare(bench.client);
    for (const route of ROUTES.filter(({ media }) => media !== "text/event-stream")) {
      const key = `${route.method} ${route.path}`;
      const { path, body } = SAMPLES[key]!(prepared);
      const headers = header === undefined ? {} : { authorization: header };
      const before = route.role === "open" ? undefined : await countsOf(bench);
      const { status, body: told } = await bench.ask(route.method, path, body, headers);
      const wanted = expected(route, caller);
      if (wanted === undefined) expect([401, 403], key).not.toContain(status);
      else {
        expect(status, key).toBe(wanted);
        expect(told.error, key).toBeTruthy();
        expect(await countsOf(bench), key).toEqual(before);
      }
    }
  });

  test("a stream of events is for those who may read", async () => {
    const bench = await open({ tokens: tokens() });
    expect((await bench.get("/api/v1/events")).status).toBe(401);
    const headers = { authorization: `Bearer ${TOKENS.put}` };
    expect((await bench.get("/api/v1/events", headers)).status).toBe(403);
  });

  test("a token may have several roles, and be the password of a browser", async () => {
    const own = tokensFrom(
      "ci put+read ci-0123456789abcdef; # none\nboss admin boss-0123456789abcdef",
      "t",
    );
    const bench = await open({ tokens: own });
    const basic = (text: string) => ({ authorization: `Basic ${btoa(text)}` });
    expect((await bench.get("/queues", basic("me:ci-0123456789abcdef"))).status).toBe(200);
    expect((await bench.get("/get/q", basic("me:ci-0123456789abcdef"))).status).toBe(403);
    expect((await bench.get("/get/q", basic("boss-0123456789abcdef"))).status).toBe(401);
    const asked = await bench.get("/queues");
    expect(asked.headers.get("www-authenticate")).toBe('Basic realm="qless"');
    const { body } = await bench.get("/api/v1/server", basic(":ci-0123456789abcdef"));
    expect(body.caller).toEqual({ name: "ci", roles: ["put", "read"] });
  });

  test("says 401 before it reads a body", async () => {
    const bench = await open({ tokens: tokens() });
    const huge = JSON.stringify({ jobs: "x".repeat(4_000_000) });
    const answered = bench.post("/api/v1/jobs/batch", huge).then(({ status }) => status);
    // The server may close the connection while the body is still being sent.
    expect([401, "closed"]).toContain(await answered.catch(() => "closed"));
  });
});

async function countsOf({ client }: Bench) {
  const [queues, groups] = await Promise.all([client.queues(), client.failures.groups()]);
  return [queues, [...groups], await client.completed(), await client.config.all()];
}

describe("tokens", () => {
  const WRONG: [text: string, says: string][] = [
    ["", 'the file has no tokens: write "name role token" in it'],
    ["# nothing", 'the file has no tokens: write "name role token" in it'],
    [
      "ci put",
      "the file, entry 1 must be three words: a name, a role such as put+read, and the token",
    ],
    [
      "ci boss secret-0123456789",
      "the file, entry 1 has a role that there is not; the roles are read, put, work, admin",
    ],
    [
      "ci put short",
      "the file, entry 1 has a token of less than 16 characters, which can be guessed",
    ],
    [
      "a put secret-0123456789\na read secret-9876543210",
      "the file has two tokens of the same name",
    ],
    [
      "a put secret-0123456789\nb admin secret-0123456789",
      'the file gives "a" and "b" the same token. Give each name a token of its own',
    ],
  ];

  test.each(WRONG)("%j are refused in a sentence without the token", (text, says) => {
    expect(() => tokensFrom(text, "the file")).toThrow(says);
    expect(says).not.toContain("secret");
  });

  test("of a program are checked as those of a file", async () => {
    const client = await openClient("sqlite");
    const [one] = tokens();
    const twice = [one!, { ...one!, name: "other" }];
    await expect(serve(client, { port: 0, tokens: [] })).rejects.toThrow("tokens has no tokens");
    await expect(serve(client, { port: 0, tokens: twice })).rejects.toThrow("the same token");
    await client.close();
  });

  test("are not kept themselves", () => {
    const [token] = tokensFrom("ci put secret-0123456789", "the file");
    expect(JSON.stringify(token)).not.toContain("secret");
  });

  test("are needed to listen elsewhere than on this machine, unless that is waived", async () => {
    const client = await openClient("sqlite");
    const says = /Anyone who can reach 0\.0\.0\.0 would have full access\. Pass --tokens/;
    await expect(serve(client, { host: "0.0.0.0", port: 0 })).rejects.toThrow(says);
    for (const options of [{ insecure: true }, { tokens: tokens() }]) {
      const server = await serve(client, { host: "0.0.0.0", port: 0, ...options });
      await server.stop();
    }
    await client.close();
  });

  test("have every role in the table of routes", () => {
    const used = new Set(ROUTES.map(({ role }) => role));
    expect([...used].toSorted()).toEqual([...ROLES, "open"].toSorted() as (Role | "open")[]);
  });
});
