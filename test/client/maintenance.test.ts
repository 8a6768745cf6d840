import { expect, test } from "vitest";
import { everyClient } from "./every-client.ts";

everyClient("looking after a namespace", (open) => {
  test("leaves nothing behind: a check that found more each time would never end", async () => {
    const client = await open();
    await client
      .queue("q")
      .putMany(Array.from({ length: 300 }, (_, n) => ({ klass: "k", data: n })));
    const looked = async () => {
      let most = 0;
      const slices: number[] = [];
      const onProgress = (progress: { looked: number }) => {
        slices.push(progress.looked);
        most = Math.max(most, progress.looked);
      };
      expect(await client.maintenance.check({ onProgress })).toEqual([]);
      expect(slices.length).toBeGreaterThan(3);
      return most;
    };
    const first = await looked();
    expect(await looked()).toBe(first);
    await client.maintenance.tick();
    expect(await looked()).toBe(first);
  });
});
