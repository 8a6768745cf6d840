/**
 * What a job costs the server when each step is a call of its own: put, pop and complete of qless by
 * the functions themselves, add and process of BullMQ; and what a job weighs.
 */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { Redis } from "ioredis";
import { cpuMicros, inFlight, usedMemory } from "./redis.mjs";
import { SYSTEMS } from "./systems.mjs";

const WIDTH = 100;
/** Never more are held at once: a worker at concurrency 100, as BullMQ's here, holds no crowd either. */
const HELD = 500;
const WORKER = "worker-host-4711";
const DATA = '{"hello":"world"}';
const jid = () => randomBytes(16).toString("base64url");

export async function library(redis) {
  const text = readFileSync(new URL("../dist/qless.functions.lua", import.meta.url), "utf8");
  await redis.call("FUNCTION", "LOAD", "REPLACE", text);
}

export const fcall = (redis, name, ...args) =>
  redis.call("FCALL", `qless_${name.replaceAll(".", "_")}`, 1, "ql", "", ...args);

export const words = (queue, count) =>
  Array.from({ length: count }, () => [queue, jid(), "klass", DATA, 0, 0]).flat();

/** The values of popped jobs, as docs/protocol.md has them. */
export const valuesOf = (jobs) => jobs.map((job) => job.split("\t"));

export const outcomes = (jobs) =>
  valuesOf(jobs).flatMap(([id, , , lease]) => ["complete", id, lease, 0]);

/** Microseconds of the server's CPU for each job that is put, taken and completed, `batch` a call. */
export async function cycle({ system, place, jobs, batch }) {
  const redis = new Redis(place.port, "127.0.0.1");
  const before = await cpuMicros(redis);
  if (system === "qless") {
    await library(redis);
    await inFlight(jobs / batch, WIDTH, () => put(redis, batch));
    for (let done = 0; done < jobs; done += HELD) await takeAndEnd(redis, batch);
  } else await bull(place, jobs);
  const cpu = ((await cpuMicros(redis)) - before) / jobs;
  redis.disconnect();
  return { cpu };
}

function put(redis, batch) {
  if (batch > 1) return fcall(redis, "put.many", WORKER, ...words("q", batch));
  return fcall(redis, "put", WORKER, "q", jid(), "klass", DATA, 0);
}

async function takeAndEnd(redis, batch) {
  const held = [];
  const take = async () => held.push(await fcall(redis, "pop", "q", WORKER, batch));
  await inFlight(HELD / batch, WIDTH, take);
  await inFlight(held.length, WIDTH, (i) => {
    if (batch > 1) return fcall(redis, "finish", WORKER, 0, "[]", ...outcomes(held[i]));
    const [[id, , , lease, , , data]] = valuesOf(held[i]);
    return fcall(redis, "complete", id, WORKER, "q", data, "lease", lease);
  });
}

async function bull(place, jobs) {
  const queue = await SYSTEMS.BullMQ(place);
  await inFlight(jobs, WIDTH, () => queue.put(JSON.parse(DATA)));
  await worked(queue, jobs);
  await queue.close();
}

async function worked(queue, jobs) {
  let left = jobs;
  let finish;
  const ended = new Promise((resolve) => {
    finish = resolve;
  });
  const run = () => {
    left -= 1;
    if (left === 0) finish();
  };
  const stop = await queue.work({ concurrency: 100, run });
  await ended;
  await stop();
}

/** Bytes that a job takes while it waits, and those that are kept of it when it is done. */
export async function weigh({ system, place, jobs, payload }) {
  const redis = new Redis(place.port, "127.0.0.1");
  const queue = await SYSTEMS[system](place);
  const data = { text: "x".repeat(payload - 11) };
  await queue.put(data);
  const empty = await usedMemory(redis);
  await inFlight(jobs / 100, 1, () => queue.putMany(Array.from({ length: 100 }, () => data)));
  const waiting = ((await usedMemory(redis)) - empty) / jobs;
  await worked(queue, jobs + 1);
  await queue.close();
  await new Promise((resolve) => setTimeout(resolve, 200));
  const completed = ((await usedMemory(redis)) - empty) / jobs;
  redis.disconnect();
  return { waiting, completed };
}
