import { inject } from "vitest";

/**
 * The database of the shared server that belongs to this test file while it runs: `check` walks all
 * keys there are, so those of other tests had better be elsewhere.
 */
export const redisUrl = () => `${inject("redisUrl")}/${process.env.VITEST_POOL_ID ?? 1}`;
