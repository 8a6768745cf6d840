import { Redis } from "ioredis";
import { afterAll, afterEach } from "vitest";
import { redisUrl } from "./redis-url.ts";

/** Empties the test file's own database behind each test, when all other hooks are done. */
const cleaner = new Redis(redisUrl(), { lazyConnect: true });
afterEach(async () => void (await cleaner.flushdb()));
afterAll(() => cleaner.disconnect());
