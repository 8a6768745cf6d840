import { expect, test } from "vitest";
import { everyServer } from "./support.ts";

const RULE = 'value must be seconds, at most 1000000000, or a text such as "30s" or "1h 30m"';

everyServer("settings over HTTP", (open) => {
  test("are seconds, in what is taken, what is stored and what is refused", async () => {
    const bench = await open();
    for (const path of [
      "/api/v1/config/heartbeat",
      "/api/v1/config/grace-period",
      "/api/v1/config/jobs-history",
      "/api/v1/config/max-worker-age",
      "/api/v1/queues/q/config/heartbeat",
      "/api/v1/queues/q/config/cutoff",
    ]) {
      for (const value of ["120", "soon", "", -1, 1e10, "1e3s"]) {
        const { status, body } = await bench.put(path, { value });
        expect([status, body.error?.message], `${path} ${value}`).toEqual([400, RULE]);
      }
      const { status, body } = await bench.put(path, { value: "20000d" });
      expect([status, body.error?.message]).toEqual([
        422,
        `${path.split("/").at(-1)} must be at most "11574d", not "20000d"`,
      ]);
      expect((await bench.put(path, { value: 120 })).status).toBe(200);
      const name = path.replace("/api/v1/queues/q/config/", "q-").replace("/api/v1/config/", "");
      expect(Number((await bench.client.config.all())[name]), path).toBe(120);
      expect((await bench.put(path, { value: "2m" })).status).toBe(200);
      expect(Number((await bench.client.config.all())[name]), path).toBe(120);
    }
  });

  test("that are no lengths of time take numbers as they are", async () => {
    const bench = await open();
    expect((await bench.put("/api/v1/config/stats-history", { value: 60 })).status).toBe(200);
    expect(Number(await bench.client.config.get("stats-history"))).toBe(60);
    const wrong = await bench.put("/api/v1/config/stats-history", { value: "long" });
    expect(wrong.body.error.message).toBe("stats-history must be a number");
  });
});
