/** A private PostgreSQL, where its programs are installed; undefined where they are not. */
import { execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./redis.mjs";

function programs() {
  const roots = existsSync("/usr/lib/postgresql") ? readdirSync("/usr/lib/postgresql") : [];
  const folders = [
    ...(process.env.PATH ?? "").split(":"),
    ...roots.map((version) => `/usr/lib/postgresql/${version}/bin`),
  ];
  return folders.find((folder) => ["initdb", "postgres"].every((p) => existsSync(join(folder, p))));
}

/** PostgreSQL refuses to run as root; then it runs as the user that its package has made. */
function owner() {
  if (process.getuid() !== 0) return {};
  const id = (flag) => Number(execFileSync("id", [flag, "postgres"], { stdio: "pipe" }));
  return { uid: id("-u"), gid: id("-g") };
}

export async function startPostgres() {
  const folder = programs();
  if (folder === undefined) return undefined;
  const data = mkdtempSync(join(tmpdir(), "qless-bench-pg-"));
  try {
    const user = owner();
    if (user.uid !== undefined) chownSync(data, user.uid, user.gid);
    const settings = { ...user, cwd: data, stdio: "ignore" };
    const init = ["-D", data, "-U", "bench", "-A", "trust", "-E", "UTF8", "--no-sync"];
    execFileSync(join(folder, "initdb"), init, settings);
    const port = await freePort();
    const listen = ["-D", data, "-p", String(port), "-h", "127.0.0.1", "-k", data];
    const child = spawn(join(folder, "postgres"), listen, settings);
    const url = `postgres://bench@127.0.0.1:${port}/postgres`;
    const pool = await connected(url);
    return {
      url,
      version: (await pool.query("show server_version")).rows[0].server_version,
      empty: () => pool.query("drop schema if exists graphile_worker cascade"),
      async stop() {
        await pool.end();
        child.kill("SIGKILL");
        rmSync(data, { recursive: true, force: true });
      },
    };
  } catch (error) {
    rmSync(data, { recursive: true, force: true });
    process.stderr.write(`PostgreSQL is left out, it did not start: ${error.message}\n`);
    return undefined;
  }
}

async function connected(url) {
  const { Pool } = createRequire(import.meta.url)("pg");
  const pool = new Pool({ connectionString: url });
  pool.on("error", () => {});
  for (let tries = 0; ; tries++) {
    try {
      await pool.query("select 1");
      return pool;
    } catch (error) {
      if (tries > 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
