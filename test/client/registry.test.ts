import type { StandardSchemaV1 } from "@standard-schema/spec";
import { expect, test } from "vitest";
import { defineJobs, payload } from "../../src/client/registry.ts";
import { Invalid } from "../../src/engine.ts";
import { everyClient } from "./every-client.ts";

/** A validator as libraries make them: takes `{ n: number | string }`, and makes n a number. */
const counted: StandardSchemaV1<{ n: number | string }, { n: number }> = {
  "~standard": {
    version: 1,
    vendor: "test",
    async validate(value) {
      const { n } = (value ?? {}) as { n?: unknown };
      if (n !== undefined && Number.isFinite(Number(n))) return { value: { n: Number(n) } };
      return {
        issues: [
          { message: "must be a number", path: ["n"] },
          { message: "is wrong", path: [{ key: "deep" }, 0] },
          { message: "as a whole" },
          { message: "and more" },
        ],
      };
    },
  },
};

const jobs = defineJobs({
  "email.send": payload<{ to: string }>(),
  count: counted,
});

everyClient("a registry", (open) => {
  test("lets put what its klasses take", async () => {
    const client = await open({ jobs });
    await client.put("email.send", { to: "ada" }, { jid: "a" });
    await client.queue("q").put("count", { n: "5" }, { jid: "b" });
    const [job] = await client.queue("q").peek();
    // What was put is kept as it was; the schema makes its own of it when the job is run.
    expect(job!.rawData).toBe('{"n":"5"}');
    expect(await client.checkData("count", job!.data)).toEqual({ n: 5 });
  });

  test("refuses data that its schema does not take, and says why", async () => {
    const client = await open({ jobs });
    const wrong = { n: "five" };
    const put = client.put("count", wrong);
    const sentence =
      "Data of count is not valid: n: must be a number; deep.0: is wrong; as a whole";
    await expect(put).rejects.toThrow(`${sentence}; and 1 more`);
    await expect(put).rejects.toBeInstanceOf(Invalid);
    await expect(put).rejects.toMatchObject({
      code: "INVALID_DATA",
      issues: [{ path: ["n"] }, { path: ["deep", 0] }, { path: [] }, { path: [] }],
    });
    const many = client.putMany([
      { klass: "email.send", data: { to: "ada" } },
      { klass: "count", data: wrong },
    ]);
    await expect(many).rejects.toMatchObject({ code: "INVALID_DATA" });
    const recurring = client.recurring.set("r", "count", wrong, { interval: "1h" });
    await expect(recurring).rejects.toMatchObject({ code: "INVALID_DATA" });
    expect(await client.queues()).toEqual([]);
  });

  test("refuses a klass that is not in it", async () => {
    const client = await open({ jobs });
    // @ts-expect-error: there is no such klass.
    const put = client.put("email.sned", { to: "ada" });
    await expect(put).rejects.toThrow('There is no klass "email.sned" in the registry');
    await expect(put).rejects.toMatchObject({ code: "UNKNOWN_KLASS" });
    // @ts-expect-error: nor this one, which every object has.
    await expect(client.put("constructor", {})).rejects.toMatchObject({ code: "UNKNOWN_KLASS" });
  });
});
