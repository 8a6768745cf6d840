import { EmbeddedEngine } from "../../src/embedded/engine.ts";

/** What processes.test.ts runs in processes of their own: `child.ts <role> <file> [name]`. */

const say = (line: string) => process.stdout.write(`${line}\n`);

const roles: Record<string, (file: string, name: string) => Promise<void>> = {
  /** Puts jobs until it is killed, and says which were answered. */
  async put(file, name) {
    const engine = await EmbeddedEngine.open(file);
    for (let i = 0; ; i += 3) {
      const jids = [i, i + 1, i + 2].map((n) => `${name}-${n}`);
      await Promise.all(jids.map((jid) => engine.call("put", ["w", "q", jid, "k", "{}", 0])));
      for (const jid of jids) say(jid);
    }
  },

  /** Takes jobs until there are none, and says which. */
  async pop(file, name) {
    const engine = await EmbeddedEngine.open(file);
    for (;;) {
      const [job] = (await engine.call("pop", ["q", name, 1])) as string[];
      if (job === undefined) break;
      const [jid] = job.split("\t") as [string];
      await engine.call("complete", [jid, name, "q", "{}"]);
      say(jid);
    }
    await engine.close();
  },

  /** Says what it hears, until it is killed. */
  async listen(file) {
    const engine = await EmbeddedEngine.open(file);
    await engine.subscribe(({ channel, message }) => void say(`${channel} ${message}`));
    say("listening");
    setInterval(() => {}, 1000);
  },

  /** Ends by itself although it listens and has closed nothing. */
  async forget(file) {
    const engine = await EmbeddedEngine.open(file);
    await engine.subscribe(() => {});
    await engine.call("put", ["w", "q", "jid", "k", "{}", 0]);
    say("done");
  },

  /** Ends by itself because it has closed everything. */
  async close(file) {
    const engine = await EmbeddedEngine.open(file);
    await engine.subscribe(() => {});
    await engine.close();
    say(
      process
        .getActiveResourcesInfo()
        .filter((kind) => kind !== "PipeWrap")
        .join(" ") || "none",
    );
  },

  /** Says what opening the file says, to the user of that number if one is given. */
  async open(file, user) {
    // While we still may, since that user may not read where the library lies.
    await (await EmbeddedEngine.open(":memory:")).close();
    if (user !== "") process.setuid?.(Number(user));
    const outage = await EmbeddedEngine.open(file).catch((error: unknown) => error);
    say(`${(outage as { code?: string }).code} ${(outage as Error).message}`);
  },
};

const [role = "", file = "", name = ""] = process.argv.slice(2);
await roles[role]!(file, name);
