import { defineConfig } from "vitest/config";

/** Tests of what a process keeps, starts or hears: each file of them has a process of its own. */
const OWN = ["browser", "cli", "http", "processes", "python", "worker"].map(
  (room) => `test/${room}{/**/*,}.test.ts`,
);

export default defineConfig({
  test: {
    setupFiles: ["test/clean-redis.ts"],
    globalSetup: ["test/global-setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Most tests wait for a server or a process: three files at a time use two cores well.
    maxWorkers: 3,
    projects: [
      { extends: true, test: { name: "own", include: OWN } },
      {
        extends: true,
        // The others share processes: to load everything anew takes longer than their tests.
        test: { name: "shared", include: ["test/**/*.test.ts"], exclude: OWN, isolate: false },
      },
    ],
  },
});
