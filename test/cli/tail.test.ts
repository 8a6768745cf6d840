import { expect, test } from "vitest";
import { everySite, start } from "./support.ts";

test("qless tail needs something to count to", async () => {
  const tail = start(["tail", "--count", "0"]);
  expect(await tail.code()).toBe(2);
  expect(tail.stderr).toBe("qless: --count must be 1 or more: leave it out for no end\n");
});

everySite("qless tail", (open) => {
  test("prints what happens, and stops when it is told to", async () => {
    const { client, flags } = await open();
    await client.queues();
    const tail = start(["tail", ...flags, "--json", "--event", "put"]);
    // Whether it listens already is not to be seen, so jobs are put until it tells of one.
    const heard = async () => {
      await client.queue("q").put("k", {});
      return tail.stdout.includes("\n");
    };
    await expect.poll(heard, { timeout: 20_000 }).toBe(true);
    tail.signal("SIGINT");
    expect(await tail.code()).toBe(0);
    const [event] = tail.stdout.split("\n").map((line) => line && JSON.parse(line));
    expect(event).toMatchObject({ channel: "log", event: "put", queue: "q" });
    expect(new Date(event.at).toISOString()).toBe(event.at);
    expect(tail.stderr).toBe("");
  });

  test("shows how far a run is", async () => {
    const { client, flags } = await open();
    await client.queue("q").put("k", {}, { jid: "a" });
    const [job] = await client.queue("q").pop();
    const tail = start(["tail", ...flags, "--count", "1", "--event", "progress", "--jid", "a"]);
    const ended = tail.code();
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    const tell = async () => {
      await job!.checkin("half of it", 0.5);
      return isOver;
    };
    await expect.poll(tell, { timeout: 20_000 }).toBe(true);
    expect(await ended).toBe(0);
    expect(tail.stdout).toMatch(
      /^\S+ {2}progress {6}jid=a queue=q .*message=half of it progress=0.5\n$/,
    );
  });

  test("stops after a number of events, and obeys nothing in them", async () => {
    const { client, flags } = await open();
    await client.queues();
    const tail = start(["tail", ...flags, "--count", "1", "--event", "config_set"]);
    const ended = tail.code();
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    const tell = async () => {
      await client.config.set("application", "a\u001b[2J");
      return isOver;
    };
    await expect.poll(tell, { timeout: 20_000 }).toBe(true);
    expect(await ended).toBe(0);
    expect(tail.stdout).toMatch(/^\S+ {2}config_set {4}option=application value=a\\u001b\[2J\n$/);
  });
});

test("qless tail refuses an event that there is not", async () => {
  const tail = start(["tail", "--event", "putt", "--url", "sqlite::memory:"]);
  expect(await tail.code()).toBe(2);
  expect(tail.stderr).toMatch(/^qless: There is no event "putt": there are put, popped, /);
});
