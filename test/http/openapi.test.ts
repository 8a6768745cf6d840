import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { openApi } from "../../src/http/openapi.ts";
import { ROUTES } from "../../src/http/table.ts";
import { prepare, SAMPLES } from "./samples.ts";
import { type Answer, type Bench, everyServer } from "./support.ts";

type Json = Record<string, unknown>;

interface Operation {
  responses: Record<string, { content: Record<string, { schema: Json }> }>;
}

const document = openApi(ROUTES, "0.0.0") as unknown as {
  paths: Record<string, Record<string, Operation>>;
};

const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addSchema({ $id: "document", ...document } as Json);

/** What is wrong with an answer, by the document; `undefined` when it is as described. */
function wrongWith(method: string, path: string, answer: Answer): unknown {
  const at = path.replaceAll(/:(\w+)/g, "{$1}");
  const { responses } = document.paths[at]![method.toLowerCase()]!;
  const key = String(answer.status) in responses ? String(answer.status) : "default";
  const [media = "none"] = Object.keys(responses[key]!.content);
  const type = answer.headers.get("content-type") ?? "";
  if (!type.startsWith(media.split(";")[0]!)) return `${type} in place of ${media}`;
  if (answer.body === undefined) return undefined;
  const escaped = (part: string) => part.replaceAll("~", "~0").replaceAll("/", "~1");
  const place = ["paths", at, method.toLowerCase(), "responses", key, "content", media, "schema"];
  const pointer = place.map((part) => encodeURIComponent(escaped(part))).join("/");
  const validate = ajv.compile({ $ref: `document#/${pointer}` });
  return validate(answer.body) ? undefined : validate.errors;
}

/** The routes that the document has; pages are for people, and streams have a test of their own. */
const DESCRIBED = ROUTES.filter(({ media }) => !media.startsWith("text/html"));
const ANSWERED = DESCRIBED.filter(({ media }) => media !== "text/event-stream");

test("the document is one of OpenAPI 3.1", async () => {
  const served = JSON.parse(JSON.stringify(document));
  const result = await new Validator().validate(served);
  expect(result.errors).toBeUndefined();
  expect(result.valid).toBe(true);
});

test("the document has every route that is not a page, and names each operation once", () => {
  const described = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const routes = DESCRIBED.map((one) => `${one.method} ${one.path.replaceAll(/:(\w+)/g, "{$1}")}`);
  expect(described.toSorted()).toEqual(routes.toSorted());
  const names = Object.values(document.paths).flatMap((operations) =>
    Object.values(operations as unknown as Record<string, { operationId: string }>),
  );
  expect(new Set(names.map(({ operationId }) => operationId)).size).toBe(routes.length);
});

test("every route has parameters for all that its path names, and a sample", () => {
  for (const { method, path, params } of ROUTES) {
    const named = [...path.matchAll(/:(\w+)|(\*)$/g)].map(([, name, star]) => name ?? star);
    expect(Object.keys(params.properties), path).toEqual(named);
    expect(Object.keys(SAMPLES), path).toContain(`${method} ${path}`);
  }
});

test("every part of a request says what it must be", () => {
  const silent = ROUTES.flatMap(({ method, path, params, query, body }) =>
    [params, query, ...(body === undefined ? [] : [body])].flatMap(({ properties }) =>
      Object.entries(properties)
        .filter(([, schema]) => (schema as { description?: string }).description === undefined)
        .map(([name]) => `${method} ${path} ${name}`),
    ),
  );
  expect(silent).toEqual([]);
});

everyServer("every route of the document", (open) => {
  async function ended(bench: Bench): Promise<string> {
    const begun = await bench.post("/api/v1/check", { wait: 10 });
    return begun.body.id;
  }

  test.each(ANSWERED)("$method $path answers as described", async ({ method, path, status }) => {
    const bench = await open();
    const sample = SAMPLES[`${method} ${path}`]!(await prepare(bench.client));
    const at =
      path.includes(":id") && path.includes("operations")
        ? sample.path.replace("none", await ended(bench))
        : sample.path;
    const answer = await bench.ask(method, at, sample.body);
    expect(answer, answer.text).toMatchObject({ status });
    expect(wrongWith(method, path, answer)).toBeUndefined();
    if (sample.gives !== undefined) expect(answer.body).toMatchObject(sample.gives);
  });

  test("refuses as described what cannot be right", async () => {
    const bench = await open();
    for (const { method, path } of ANSWERED.filter((route) => !route.path.includes("openapi"))) {
      const at = path.replaceAll(/:count/g, "0").replaceAll(/:\w+/g, "%00");
      const answer = await bench.ask(
        method,
        `${at}?stranger=1`,
        method === "POST" || method === "PUT" ? [] : undefined,
      );
      if (answer.status === 200) continue;
      expect([400, 404, 422], `${method} ${at} ${answer.text}`).toContain(answer.status);
      expect(wrongWith(method, path, answer), `${method} ${at}`).toBeUndefined();
    }
  });
});
