import { expect, test } from "vitest";
import { addStatistics, below, EMPTY_TOTALS } from "../../src/http/queue-totals.ts";
import { everyServer } from "./support.ts";

/** The samples of a scrape, by name and labels. */
function samplesOf(text: string): Map<string, number> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const [, name, value] = /^(.*) (\S+)$/.exec(line)!;
      return [name!, Number(value)];
    }),
  );
}

everyServer("the metrics", (open) => {
  test("tell of queues, the store, the process and the server", async () => {
    const bench = await open();
    await bench.get("/metrics");
    await bench.client
      .queue("q")
      .putMany(Array.from({ length: 4 }, (_, n) => ({ klass: "k", data: n })));
    const jobs = await bench.client.queue("q").pop({ count: 3, worker: "w" });
    await jobs[0]!.complete();
    await jobs[1]!.fail("g", "m");
    await jobs[2]!.retry();
    await bench.client.put("later", 1, { delay: "1h" });
    await bench.client.queue("q").pause();
    const { headers } = await bench.get("/metrics");
    expect(headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const scrape = async () => samplesOf((await bench.get("/metrics")).text);
    await expect
      .poll(async () => (await scrape()).get('qless_jobs_put_total{queue="q"}'), { timeout: 5000 })
      .toBe(4);
    const samples = await scrape();
    const expected: Record<string, number> = {
      qless_up: 1,
      'qless_jobs{queue="q",state="waiting"}': 2,
      'qless_jobs{queue="q",state="running"}': 0,
      'qless_jobs{queue="later",state="scheduled"}': 1,
      'qless_queue_paused{queue="q"}': 1,
      'qless_jobs_popped_total{queue="q"}': 3,
      'qless_jobs_completed_total{queue="q"}': 1,
      'qless_jobs_failed_total{queue="q"}': 1,
      'qless_jobs_retried_total{queue="q"}': 1,
      'qless_job_wait_seconds_bucket{queue="q",le="+Inf"}': 3,
      'qless_job_run_seconds_count{queue="q"}': 1,
      'qless_job_run_seconds_bucket{queue="q",le="60"}': 1,
      qless_failed_jobs: 1,
      qless_workers: 1,
      qless_queues: 2,
      qless_locks_lost_total: 0,
    };
    for (const [name, value] of Object.entries(expected))
      expect(samples.get(name), name).toBe(value);
    const names = [...samples.keys()].join("\n");
    expect(names).toContain(
      'qless_http_requests_total{method="GET",route="/metrics",status="200"}',
    );
    expect(names).toContain('qless_http_request_seconds_count{route="/metrics"}');
    expect(names).toContain('qless_store_seconds_count{command="pop"}');
    expect(names).toContain('qless_event_loop_lag_seconds{quantile="0.99"}');
    expect(samples.get("process_resident_memory_bytes")).toBeGreaterThan(1e6);
  });

  test("count locks that were lost", async () => {
    const bench = await open();
    await bench.get("/metrics");
    await bench.client.put("q", 1, { jid: "a" });
    await bench.client.queue("q").pop({ worker: "w" });
    await (await bench.client.get("a"))!.timeout();
    await expect
      .poll(async () => (await bench.get("/metrics")).text, { timeout: 5000 })
      .toContain("qless_locks_lost_total 1");
  });

  test("have labels that no caller can multiply", async () => {
    const bench = await open();
    await bench.get("/metrics");
    for (let i = 0; i < 30; i++) await bench.get(`/nothing-${i}`);
    for (let i = 0; i < 30; i++) await bench.get(`/api/v1/jobs/${i}`);
    await bench.client.putMany(
      Array.from({ length: 300 }, (_, i) => ({
        klass: "k",
        data: 1,
        queue: `q"\\\n${i}`.replace("\n", ""),
      })),
    );
    await expect
      .poll(async () => (await bench.get("/metrics")).text, { timeout: 5000 })
      .toContain("qless_queues 300");
    const { text } = await bench.get("/metrics");
    const samples = samplesOf(text);
    const of = (name: string) => [...samples.keys()].filter((key) => key.startsWith(`${name}{`));
    expect(of("qless_http_requests_total").length).toBeLessThan(8);
    expect(of("qless_queue_paused")).toHaveLength(200);
    expect(samples.get('qless_jobs{queue="",state="waiting"}')).toBe(100);
    expect(text).toContain('{queue="q\\"\\\\0",state="waiting"} 1');
    expect(text.length).toBeLessThan(2_000_000);
  });
});

test("days add up, and bins are told by their ends", () => {
  const histogram = Array.from({ length: 148 }, () => 0);
  const binned = (bin: number) => histogram.map((_, i) => (i === bin ? 1 : 0));
  const times = (bin: number) => ({
    ...{ count: 1, meanMs: 500, stdMs: 0, p50Ms: 0, p95Ms: 0, p99Ms: 0 },
    histogram: binned(bin),
  });
  const day = (bin: number) => ({
    wait: times(bin),
    run: times(bin),
    failures: 1,
    failed: 1,
    retries: 2,
  });
  // The first second, one to two minutes, one to two hours, the last of days.
  const totals = [0, 60, 119, 147].reduce((sum, bin) => addStatistics(sum, day(bin)), EMPTY_TOTALS);
  expect(totals).toMatchObject({ failures: 4, retries: 8, wait: { count: 4, sumSeconds: 2 } });
  expect([1, 60, 120, 3600, 7200, 86_400].map((limit) => below(totals.run, limit))).toEqual([
    1, 1, 2, 2, 3, 3,
  ]);
});
