import type { TestProject } from "vitest/node";
import { startRedis } from "./redis-server.ts";

declare module "vitest" {
  export interface ProvidedContext {
    redisUrl: string;
  }
}

/** One private redis-server for all tests of a project; each test has a namespace of its own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startRedis({ args: ["--databases", "256"] });
  project.provide("redisUrl", server.url);
  return () => server.stop();
}
