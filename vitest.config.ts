import { defineConfig } from "vitest/config";

/**
 * Tests of commands leave nothing behind in their process, and so share one: to load everything anew
 * for each file takes longer than its tests.
 */
const SHARED = ["test/commands/**/*.test.ts", "test/legacy/**/*.test.ts"];

export default defineConfig({
  test: {
    setupFiles: ["test/clean-redis.ts"],
    globalSetup: ["test/global-setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Most tests wait for a server or a process: three files at a time use two cores well.
    maxWorkers: 3,
    projects: [
      { extends: true, test: { name: "own", include: ["test/**/*.test.ts"], exclude: SHARED } },
      { extends: true, test: { name: "shared", include: SHARED, isolate: false } },
    ],
  },
});
