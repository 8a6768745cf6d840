import { expect, test } from "vitest";
import { tokensFrom } from "../../src/http/auth.ts";
import { type Bench, everyServer, TOKENS, tokens } from "./support.ts";

const as = (role: keyof typeof TOKENS) => ({ authorization: `Bearer ${TOKENS[role]}` });

/** Everything about the job and the key, as far as a put could change it. */
async function stateOf({ client }: Bench) {
  const job = await client.get("a");
  return [job!.toJSON(), await client.holderOf("u"), await client.get("b"), await client.queues()];
}

const STATES = ["waiting", "running", "scheduled", "depends", "complete", "failed"] as const;

/** Puts job `a`, which holds the key `u`, and brings it into the state. */
async function bring({ client }: Bench, state: (typeof STATES)[number]): Promise<void> {
  const unique = { key: "u", for: "1h" };
  if (state === "depends") await client.put("other", {}, { jid: "before" });
  await client.put(
    "k",
    { n: 1 },
    {
      jid: "a",
      unique,
      ...(state === "scheduled" && { delay: "1h" }),
      ...(state === "depends" && { depends: ["before"] }),
    },
  );
  if (["waiting", "scheduled", "depends"].includes(state)) return;
  const [job] = await client.queue("k").pop();
  if (state === "complete") await job!.complete();
  if (state === "failed") await job!.fail("group", "message");
}

everyServer("a put of a jid that exists", (open) => {
  test("keeps the job, unless if_exists says otherwise", async () => {
    const bench = await open();
    const put = (more: object = {}) =>
      bench.post("/api/v1/jobs", { klass: "k", jid: "a", ...more });
    expect(await put()).toMatchObject({ status: 200, body: { jid: "a", outcome: "created" } });
    expect(await put({ data: 2 })).toMatchObject({ status: 200, body: { outcome: "kept" } });
    const refused = await put({ data: 2, if_exists: "refuse" });
    expect(refused).toMatchObject({ status: 409, body: { error: { code: "JID_TAKEN" } } });
    expect((await bench.client.get("a"))!.data).toBeNull();
    expect((await put({ data: 2, if_exists: "replace" })).body).toEqual({
      jid: "a",
      outcome: "replaced",
    });
    expect((await bench.client.get("a"))!.data).toBe(2);
    const bad = await put({ if_exists: "always" });
    expect(bad).toMatchObject({ status: 400, body: { error: { code: "BAD_REQUEST" } } });
    expect(bad.body.error.message).toBe("if_exists must be one of keep, replace, refuse");
  });

  test("is answered job by job in a batch, which puts all or none", async () => {
    const bench = await open();
    await bench.client.put("k", 1, { jid: "a" });
    const batch = (...jobs: object[]) =>
      bench.post("/api/v1/jobs/batch", { jobs: jobs.map((job) => ({ klass: "k", ...job })) });
    const { body } = await batch({ jid: "a" }, { jid: "b" }, { jid: "b" });
    expect(body.jobs).toEqual([
      { jid: "a", outcome: "kept" },
      { jid: "b", outcome: "created" },
      { jid: "b", outcome: "kept" },
    ]);
    expect((await batch({ jid: "c" }, { jid: "a", if_exists: "refuse" })).status).toBe(409);
    expect(await bench.client.get("c")).toBeUndefined();
  });

  test("is listed under kept by the interface of the seeds", async () => {
    const bench = await open();
    await bench.client.put("q", 1, { jid: "a" });
    const data = [
      { meta: 2, id: "a" },
      { meta: 3, id: "b" },
      { meta: 4, unique: "u" },
      { unique: "u" },
    ];
    const { body } = await bench.post("/add/q", { data });
    const third = body.results[2];
    expect(body).toMatchObject({
      results: ["a", "b", third, third],
      kept: ["a", third],
      refused: [],
    });
    expect((await bench.client.get("a"))!.data).toBe(1);
    const refusing = [
      { id: "a", if_exists: "refuse" },
      { id: "a", if_exists: "replace", meta: 5 },
    ];
    const second = await bench.post("/add/q", { data: refusing });
    expect(second.body).toMatchObject({
      results: [false, "a"],
      kept: [],
      refused: [{ id: "a", code: "JID_TAKEN" }],
    });
    expect((await bench.client.get("a"))!.data).toBe(5);
  });

  test("is answered as the first time when a request is sent again", async () => {
    const bench = await open();
    const request = { klass: "k", jid: "a" };
    const first = await bench.post("/api/v1/jobs", request, { "idempotency-key": "one" });
    const again = await bench.post("/api/v1/jobs", request, { "idempotency-key": "one" });
    expect([first.body.outcome, again.body]).toEqual(["created", first.body]);
    const other = await bench.post("/api/v1/jobs", request, { "idempotency-key": "two" });
    expect(other.body.outcome).toBe("kept");
  });
});

/** Requests that would take, change or revive job `a`, by its jid or by its key. */
const ATTEMPTS: [what: string, path: string, body: object][] = [
  [
    "replaces it",
    "/api/v1/jobs",
    { klass: "evil", jid: "a", queue: "elsewhere", if_exists: "replace" },
  ],
  ["makes it wait", "/api/v1/jobs", { klass: "k", jid: "a", if_exists: "replace", depends: ["x"] }],
  ["delays it", "/api/v1/jobs", { klass: "k", jid: "a", if_exists: "replace", delay: "1h" }],
  ["gives it a key", "/api/v1/jobs", { klass: "k", jid: "a", if_exists: "replace", unique: "v" }],
  ...["replace", "data", "time"].flatMap((conflict): [string, string, object][] => {
    const job = { klass: "evil", jid: "b", data: 6, delay: "2h", unique: { key: "u", conflict } };
    const { jid, klass: _klass, data, ...rest } = job;
    return [
      [`meets its key with ${conflict}`, "/api/v1/jobs", job],
      [
        `meets its key with ${conflict} in a batch`,
        "/api/v1/jobs/batch",
        { jobs: [{ klass: "k", jid: "c" }, job] },
      ],
      [
        `meets its key with ${conflict} by the seeds`,
        "/add/k",
        { data: [{ id: jid, meta: data, ...rest }] },
      ],
    ];
  }),
  [
    "replaces it in a batch",
    "/api/v1/jobs/batch",
    {
      jobs: [
        { klass: "k", jid: "b" },
        { klass: "k", jid: "a", if_exists: "replace" },
      ],
    },
  ],
  [
    "replaces it by the seeds",
    "/add/elsewhere",
    { data: [{ id: "a", meta: 6, if_exists: "replace" }] },
  ],
];

everyServer("a token that may only put", (open) => {
  test.each(STATES)("cannot touch a job that is %s, and each attempt is noted", async (state) => {
    const bench = await open({ tokens: tokens() });
    await bring(bench, state);
    const before = JSON.stringify(await stateOf(bench));
    const noted: unknown[] = [];
    const stop = await bench.client.events.on(
      { event: "audit" },
      (event) => void noted.push(event),
    );
    for (const [what, path, body] of ATTEMPTS) {
      const { status, body: told } = await bench.post(path, body, as("put"));
      expect(status, what).toBe(403);
      const error = path.startsWith("/add") ? { code: told.code, message: told.error } : told.error;
      expect(error.code, what).toBe("NOT_PERMITTED");
      expect(error.message, what).toMatch(
        /^Job a (exists already|holds the key), and this caller may only create jobs: use another (jid|key) or keep the job, or use a token with the role work or admin$/,
      );
      expect(JSON.stringify(await stateOf(bench)), what).toBe(before);
    }
    await expect.poll(() => noted.length, { timeout: 10_000 }).toBe(ATTEMPTS.length);
    expect(noted).toMatchObject(ATTEMPTS.map(() => ({ action: "put denied", by: "the-put" })));
    await stop();
  });

  test("is denied under a request id as well, and may then put something else", async () => {
    const bench = await open({ tokens: tokens() });
    await bring(bench, "waiting");
    const headers = { ...as("put"), "idempotency-key": "one" };
    const body = { klass: "k", jid: "a", if_exists: "replace" };
    for (let i = 0; i < 2; i++) {
      expect((await bench.post("/api/v1/jobs", body, headers)).status).toBe(403);
    }
    const other = await bench.post("/api/v1/jobs", { klass: "k", jid: "b" }, headers);
    expect(other.body).toEqual({ jid: "b", outcome: "created" });
  });

  test("creates and keeps jobs, also with options that would change an existing one", async () => {
    const bench = await open({ tokens: tokens() });
    const put = async (body: object) => {
      const answer = await bench.post("/api/v1/jobs", { klass: "k", ...body }, as("put"));
      return answer.body.outcome ?? answer.body.error.code;
    };
    expect(await put({ jid: "a", if_exists: "replace" })).toBe("created");
    expect(await put({ jid: "a" })).toBe("kept");
    expect(await put({ jid: "a", if_exists: "refuse" })).toBe("JID_TAKEN");
    expect(await put({ unique: { key: "u", conflict: "data" } })).toBe("created");
    expect(await put({ unique: "u" })).toBe("kept");
    expect(await put({ unique: { key: "u", conflict: "keep" } })).toBe("kept");
    expect(await put({ depends: ["a"] })).toBe("created");
  });

  test("has the jobs put that it may put, where the seeds judge each for itself", async () => {
    const bench = await open({ tokens: tokens() });
    await bring(bench, "running");
    const data = [{ id: "b", meta: 1 }, { id: "a", if_exists: "replace" }, { id: "a" }];
    const { status, body } = await bench.post("/add/k", { data }, as("put"));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      results: ["b", false, "a"],
      kept: ["a"],
      refused: [
        { id: "a", code: "NOT_PERMITTED", error: expect.stringMatching(/role work or admin$/) },
      ],
    });
    expect((await bench.client.get("a"))!.state).toBe("running");
  });

  test("cannot use the moment between two puts of others", async () => {
    const bench = await open({ tokens: tokens() });
    const unique = { key: "u", conflict: "data" };
    // They arrive together, and the client sends what arrives together in one call.
    const answers = await Promise.all([
      bench.post("/api/v1/jobs", { klass: "k", jid: "a", data: 1, unique: "u" }, as("admin")),
      ...Array.from({ length: 20 }, (_, i) =>
        bench.post("/api/v1/jobs", { klass: "k", jid: `b${i}`, data: 6, unique }, as("put")),
      ),
    ]);
    const holder = (await bench.client.holderOf("u"))!;
    const created = answers.filter(({ body }) => body.outcome === "created");
    expect(created).toHaveLength(1);
    expect(created[0]!.body.jid).toBe(holder);
    const denied = answers.filter(({ status }) => status === 403);
    expect(denied.length).toBeGreaterThanOrEqual(19);
    expect((await bench.client.get(holder))!.data).toBe(holder === "a" ? 1 : 6);
  });

  test("may do all that with the role work or admin beside", async () => {
    const own = tokensFrom(
      [
        "a put+work put-work-0123456789",
        "b put+admin put-admin-012345678",
        "c put+read put-read-0123456789",
      ].join("\n"),
      "t",
    );
    const bench = await open({ tokens: own });
    await bring(bench, "waiting");
    const statuses: number[] = [];
    for (const token of ["put-work-0123456789", "put-admin-012345678", "put-read-0123456789"]) {
      const headers = { authorization: `Bearer ${token}` };
      const body = { klass: "k", jid: "a", if_exists: "replace" };
      statuses.push((await bench.post("/api/v1/jobs", body, headers)).status);
    }
    expect(statuses).toEqual([200, 200, 403]);
  });
});
