"""A client and a worker for qless over Redis, in one file; it needs the package redis and no other.
docs/guides/other-languages.md goes through it step by step, docs/protocol.md has every command."""
from __future__ import annotations

import json
import logging
import math
import secrets
import signal
import socket
import threading
import time
import traceback
from typing import Any, Callable, Mapping, Sequence

import redis

log = logging.getLogger("qless")
json_text = json.JSONEncoder(allow_nan=False).encode
BACKOFF = "exponential 1 cap 600 jitter 0.2"  # Where neither the job nor its queue has one.
PATIENCE = 100_000  # How often a worker says what became of a job until there is an answer.
ROUND_S = 5.0  # How long a thread sleeps at most before it looks for jobs by itself.


class Refused(Exception):
    """The core said no, and has changed nothing. Programs go by `code`; `message` is for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code, self.message = code, message


class Outcome(dict):
    """What a handler may return: Outcome(verb="complete", data={}, next="archive"), fail, retry."""


class Job:
    """A job in hand. When `lost` is set it is no longer yours: stop, and write nothing of it."""

    def __init__(self, popped: str) -> None:
        self.jid, self.klass, self.queue, lease, expires, said, data = popped.split("\t", 6)
        self.data, self.lease, self.expires = json.loads(data), int(lease), float(expires)
        more = json.loads(said or "{}")  # Most jobs have nothing particular about them.
        self.priority, self.retries = more.get("priority", 0), more.get("retries", 5)
        self.remaining, self.tags = more.get("remaining", self.retries), more.get("tags", [])
        self.lost, self.beat_at = threading.Event(), 0.0  # By time.monotonic().


def option_words(options: Mapping[str, Any]) -> list[Any]:
    """How many words there are, and then `name value ...`."""
    words: list[Any] = []
    for name, value in options.items():
        value = json_text(value) if name == "data" else value
        words += [name, int(value) if isinstance(value, bool) else value]
    return [len(words), *words]


def checked(text: str) -> str:
    """A refusal begins with its code; what Redis itself says begins with a word without `_`."""
    code, _, message = text.partition(" ")
    if code.isupper() and ("_" in code or code == "CYCLE"):
        raise Refused(code, message) from None
    if "Function not found" in text:
        raise Refused("NO_FUNCTION", "Redis has no such command: run `npx qless install`") from None
    return text


class Client:
    """Calls the commands of one namespace; threads may share it. `npx qless install` loads them.
    Without an answer for `timeout` seconds it raises a redis.RedisError, which means: perhaps."""

    def __init__(self, url: str = "redis://127.0.0.1:6379", namespace: str = "ql",
                 name: str | None = None, timeout: float = 10) -> None:
        self.namespace = namespace
        self.name = name or f"{socket.gethostname()}-{secrets.token_hex(6)}"
        self.redis = redis.Redis.from_url(url, socket_timeout=timeout / 2, health_check_interval=30,
                                          decode_responses=True, encoding_errors="surrogateescape")

    def call(self, command: str, *args: Any, request: str | None = None, tries: int = 2) -> Any:
        """Calls any command. Sent again after a broken connection, a request id acts once."""
        function = f"qless_{command.replace('.', '_')}"
        words = ["FCALL", function, 1, self.namespace, "@" + (request or secrets.token_hex(9))]
        words += [arg if isinstance(arg, str) else json_text(arg) for arg in args]
        for left in reversed(range(tries)):
            try:
                return self.redis.execute_command(*words)
            except (redis.ConnectionError, redis.TimeoutError, redis.ReadOnlyError):
                if left == 0:
                    raise
                time.sleep(0.2)
            except redis.ResponseError as error:
                checked(str(error))
                raise

    def put(self, queue: str, klass: str, data: Any = None, **options: Any) -> str:
        """Puts a job and returns its jid; takes jid, delay, if_exists and all options of put."""
        return self.put_many([{"queue": queue, "klass": klass, "data": data, **options}])[0]

    def put_many(self, jobs: Sequence[Mapping[str, Any]]) -> list[str]:
        """Puts up to 1,000 jobs, all or none. Unless if_exists differs, existing jobs are kept."""
        words: list[Any] = []
        for job in jobs:
            rest = {"jid": secrets.token_hex(12), "delay": 0, "data": None, **job}
            rest["data"] = json_text(rest["data"])
            words += [rest.pop(name) for name in ("queue", "jid", "klass", "data", "delay")]
            words += option_words({"exists": rest.pop("if_exists", "keep"), **rest})
        return self.call("put.many", self.name, *words)[::2]

    def pop(self, queues: str | Sequence[str], count: int = 1) -> list[Job]:
        """Takes up to `count` jobs, from the queues in their order."""
        first, *also = [queues] if isinstance(queues, str) else queues or [""]
        return [Job(popped) for popped in self.call("pop", first, self.name, count, "also", also)]

    def heartbeat(self, job: Job, **options: Any) -> float:
        """Renews a lock, and keeps `data` with the job; tells until when the lock lasts."""
        text = json_text(options["data"]) if "data" in options else ""
        [answer] = self.call("heartbeat.many", self.name, job.jid, job.lease, text)
        return float(checked(answer))

    def finish(self, job: Job, verb: str, tries: int = 2, **options: Any) -> str:
        """Ends a run by complete, fail or retry; tells the new state, or the retries left."""
        words = [verb, job.jid, job.lease, *option_words(options)]
        [answer] = self.call("finish", self.name, 0, [], *words, tries=tries)
        return checked(answer)

    def complete(self, job: Job, **options: Any) -> str:
        """Ends a run well, with new `data` if there is some, or goes on to the queue `next`."""
        return self.finish(job, "complete", **options)

    def fail(self, job: Job, group: str, message: str, **options: Any) -> None:
        self.finish(job, "fail", group=group, message=message, **options)

    def retry(self, job: Job, **options: Any) -> int:
        """Ends a run to try it again; tells how many retries are left, or -1 when it failed."""
        return int(self.finish(job, "retry", **options))

    def get(self, jid: str) -> dict[str, Any] | None:
        job = json.loads(self.call("get", jid) or "null")
        return job and {**job, "data": json.loads(job["data"])}

    def cancel(self, *jids: str) -> None:
        self.call("cancel", *jids)

    def explain(self, jid: str) -> dict[str, Any]:
        return json.loads(self.call("explain", jid))

    def queues(self, queue: str = "") -> Any:
        return json.loads(self.call("queues", queue))

    def stats(self, queue: str, day: float | None = None) -> dict[str, Any]:
        """How long jobs waited and ran on the day of a moment, today unless said."""
        return json.loads(self.call("stats", queue, time.time() if day is None else day))


class Worker:
    """Runs `concurrency` jobs at a time, in threads. What a handler returns becomes the job's data,
    unless it is None or an Outcome. What it raises is tried again after a rest."""

    def __init__(self, client: Client, queues: str | Sequence[str],
                 handlers: Mapping[str, Callable[[Job], Any]], concurrency: int = 4) -> None:
        self.client, self.handlers = client, handlers
        self.queues = [queues] if isinstance(queues, str) else list(queues)
        self.concurrency, self.deadline = concurrency, math.inf
        self._held, self._wake = set[Job](), threading.Event()

    def stop(self, grace: float = 25) -> None:
        """Takes no more jobs, and lets those that run end for `grace` seconds; returns at once."""
        self.deadline = min(self.deadline, time.monotonic() + grace)

    def run(self, drain: bool = False) -> None:
        """Works until `stop`, SIGTERM or SIGINT; with `drain`, until there is nothing to take.
        What still runs when the grace is over is given back, at no cost."""
        self._ahead = json.loads(self.client.call("cron.due", 0))["now"] - time.monotonic()
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, lambda *_: self.stop())
        hands = [threading.Thread(target=self._hand, args=(drain,), daemon=True)
                 for _ in range(self.concurrency)]
        for hand in hands:
            hand.start()
        with self.client.redis.pubsub() as heard:
            heard.subscribe(f"{self.client.namespace}:w:{self.client.name}")
            while any(hand.is_alive() for hand in hands) and time.monotonic() < self.deadline:
                self._look_after(heard)
        for job in tuple(self._held):
            job.lost.set()
            try:
                self.client.retry(job, delay=0, spend=False)
            except (redis.RedisError, Refused) as error:
                log.warning("Job %s is free when its lock expires: %s", job.jid, error)
        self.client.call("worker.deregister", self.client.name)

    def _look_after(self, heard: redis.client.PubSub) -> None:
        """Listens on the worker's channel: there is a job, or one is lost. Renews old locks."""
        message = None
        try:
            message = heard.get_message(timeout=0.1)
        except redis.RedisError:  # It connects again by itself.
            time.sleep(0.1)
        if message is not None or self.deadline < math.inf:
            self._wake.set()
        is_wake = message is None or '"event":"wake"' in str(message["data"])
        for job in tuple(self._held):
            if not job.lost.is_set() and (job.beat_at <= time.monotonic() or not is_wake):
                self._renew(job)

    def _renew(self, job: Job) -> None:
        now = time.monotonic()
        try:
            job.expires = self.client.heartbeat(job)
            job.beat_at = (now + job.expires - self._ahead) / 2
        except (redis.RedisError, Refused) as error:
            # While nobody answers, the lock holds until it expires.
            if isinstance(error, Refused) or now + self._ahead > job.expires:
                log.warning("Job %s is lost: %s", job.jid, error)
                job.lost.set()

    def _hand(self, drain: bool) -> None:
        """The work of one thread: takes a job and runs it, or sleeps until there is one."""
        while self.deadline == math.inf:
            try:
                jobs = self.client.pop(self.queues)
                if jobs:
                    self._work(jobs[0])
                elif drain:
                    return
                else:
                    self._sleep()
            except Exception as error:
                log.error("%s; this worker goes on", error)
                time.sleep(1)

    def _sleep(self) -> None:
        """Asks to be woken when there is a job; looks again when one is due, and now and then."""
        self._wake.clear()
        self.client.call("tick")  # Looks after queues that nobody pops from.
        told = json.loads(self.client.call("wait", self.client.name, ROUND_S, *self.queues))
        due = told["next"] - self._ahead if told["next"] else math.inf
        if not told["ready"]:
            self._wake.wait(min(ROUND_S, max(due - time.monotonic(), 0.01)))

    def _work(self, job: Job) -> None:
        """Runs a job and says what became of it; an outcome that is refused is a failure, too."""
        job.beat_at = (time.monotonic() + job.expires - self._ahead) / 2  # At half of its time.
        self._held.add(job)
        try:
            handler = self.handlers.get(job.klass)
            value = handler(job) if handler else Outcome(verb="retry", delay=5, spend=False)
            if job.lost.is_set():
                return
            done = {"verb": "complete"} if value is None else {"verb": "complete", "data": value}
            outcome = value if isinstance(value, Outcome) else done
            self.client.finish(job, tries=PATIENCE, **outcome)
        except BaseException as error:  # SystemExit, too: the job must be told of.
            text = traceback.format_exc().encode(errors="replace").decode()[-16_384:]
            group = f"{job.klass}:{type(error).__name__}".encode()[:255].decode(errors="ignore")
            rest = {"backoff": BACKOFF, "lot": secrets.randbelow(1000) / 1000}
            self.client.retry(job, tries=PATIENCE, group=group, message=text, **rest)
        finally:
            self._held.discard(job)
