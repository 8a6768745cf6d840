import { describe, expect, test } from "vitest";
import { useLegacy } from "./client.ts";

const legacy = useLegacy();
const get = (option: string) => legacy.call("config.get", 0, option);
const all = () => legacy.json<{ [option: string]: unknown }>("config.get", 0);

const DEFAULTS = {
  application: "qless",
  "grace-period": 10,
  heartbeat: 60,
  "histogram-history": 7,
  "jobs-history": 604800,
  "jobs-history-count": 50000,
  "stats-history": 30,
};

describe("config.get", () => {
  test("tells all settings with their defaults", async () => {
    expect(await all()).toMatchObject(DEFAULTS);
  });

  test("tells each setting as it tells them all", async () => {
    for (const [option, value] of Object.entries(await all())) {
      expect(String(await get(option))).toBe(String(value));
    }
  });

  test("answers nil for what nobody set", async () => {
    expect(await get("nothing")).toBeNull();
    expect(await get("q-heartbeat")).toBeNull();
    expect(await get("q-max-concurrency")).toBeNull();
  });
});

describe("config.set", () => {
  test("sets what config.get tells, as text", async () => {
    expect(await legacy.call("config.set", 0, "testing", "foo")).toBeNull();
    expect(await get("testing")).toBe("foo");
    expect((await all()).testing).toBe("foo");
  });

  test("sets numbers that come back as such", async () => {
    await legacy.call("config.set", 0, "heartbeat", 100);
    await legacy.call("config.set", 0, "q-max-concurrency", 5);
    await legacy.call("config.set", 0, "number", 5);
    expect(Number(await get("heartbeat"))).toBe(100);
    expect(Number(await get("q-max-concurrency"))).toBe(5);
    expect(Number(await get("number"))).toBe(5);
    expect(Number((await all()).heartbeat)).toBe(100);
    expect((await all())["grace-period"]).toBe(10);
  });

  test("sets texts of any kind for options of one's own", async () => {
    for (const value of ["", "a b", '{"json": [1]}', "ä 😀", "line\nbreak", "'\""]) {
      await legacy.call("config.set", 0, "mine", value);
      expect(await get("mine")).toBe(value);
      expect((await all()).mine).toBe(value);
    }
  });

  test("takes negative heartbeats and histories, which tests use", async () => {
    for (const [option, value] of [
      ["heartbeat", -10],
      ["q-heartbeat", -60],
      ["jobs-history", -1],
      ["jobs-history-count", -1],
      ["grace-period", -1],
      ["heartbeat", "-10"],
      ["heartbeat", 0.5],
      ["max-job-history", -1],
    ] as const) {
      expect(await legacy.call("config.set", 0, option, value)).toBeNull();
      expect(Number(await get(option))).toBe(Number(value));
    }
  });

  test("is refused for a value that would break pop", async () => {
    for (const option of ["heartbeat", "q-heartbeat", "grace-period", "q-max-concurrency"]) {
      await legacy.refusedWhole(
        () => legacy.call("config.set", 0, option, "soon"),
        /^config\.set\(\): /,
      );
    }
    await legacy.put(0, "q", "a");
    await legacy.popped(0, "q", "w", ["a"]);
  });

  test("is refused without an option or a value", async () => {
    await legacy.refusedWhole(
      () => legacy.call("config.set", 0),
      'config.set(): Arg "option" missing',
    );
    await legacy.refusedWhole(
      () => legacy.call("config.set", 0, "option"),
      'config.set(): Arg "value" missing',
    );
  });
});

describe("config.unset", () => {
  test("brings back the default", async () => {
    const before = await get("heartbeat");
    await legacy.call("config.set", 0, "heartbeat", 100);
    expect(await legacy.call("config.unset", 0, "heartbeat")).toBeNull();
    expect(await get("heartbeat")).toEqual(before);
    expect((await all()).heartbeat).toBe(60);
  });

  test("brings back nothing where there is no default", async () => {
    await legacy.call("config.set", 0, "mine", 5);
    await legacy.call("config.unset", 0, "mine");
    expect(await get("mine")).toBeNull();
    expect(await all()).not.toHaveProperty("mine");
  });

  test("of what nobody set does nothing", async () => {
    expect(await legacy.call("config.unset", 0, "mine")).toBeNull();
    expect(await legacy.redis.exists("ql:config")).toBe(0);
  });

  test("is refused without an option", async () => {
    await legacy.refused(legacy.call("config.unset", 0), 'config.unset(): Arg "option" missing');
  });
});

test("settings take effect at once", async () => {
  await legacy.put(0, "q", "a");
  await legacy.put(0, "q", "b");
  await legacy.call("config.set", 0, "heartbeat", 10);
  expect((await legacy.pop(0, "q", "w", 1))[0]?.expires).toBe(10);
  await legacy.call("config.unset", 0, "heartbeat");
  expect((await legacy.pop(0, "q", "w", 1))[0]?.expires).toBe(60);
});
