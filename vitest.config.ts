import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/global-setup.ts"],
    setupFiles: ["test/clean-redis.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Most tests wait for a server or a process: three files at a time use two cores well.
    maxWorkers: 3,
  },
});
