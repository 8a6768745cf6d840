import { type } from "arktype";
import * as v from "valibot";
import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { defineJobs, type Input, type Output } from "../../src/client/registry.ts";
import { everyClient } from "./every-client.ts";

/** One registry with the validators of three libraries: each takes and refuses in its own words. */
const jobs = defineJobs({
  zod: z.object({ n: z.coerce.number().positive() }),
  valibot: v.object({ n: v.pipe(v.number(), v.minValue(1)) }),
  arktype: type({ n: "number > 0" }),
});
type Jobs = typeof jobs;

test("the types are those of the libraries", () => {
  expectTypeOf<Output<Jobs, "zod">>().toEqualTypeOf<{ n: number }>();
  expectTypeOf<Input<Jobs, "valibot">>().toEqualTypeOf<{ n: number }>();
  expectTypeOf<Output<Jobs, "arktype">>().toEqualTypeOf<{ n: number }>();
});

everyClient("a schema", (open) => {
  test.each(["zod", "valibot", "arktype"] as const)(
    "of %s lets through what it takes",
    async (klass) => {
      const client = await open({ jobs });
      const { jid } = await client.put(klass, { n: 5 });
      expect((await client.get(jid))!.data).toEqual({ n: 5 });
      expect(await client.checkData(klass, { n: 5 })).toEqual({ n: 5 });
      const put = client.put(klass, { n: -5 });
      await expect(put).rejects.toThrow(new RegExp(`^Data of ${klass} is not valid: n: .+`));
      await expect(put).rejects.toMatchObject({ code: "INVALID_DATA", issues: [{ path: ["n"] }] });
    },
  );
});
