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
# What a cluster answers while a slot moves; versions of the package redis differ in the form.
MOVING = (redis.exceptions.AskError, redis.exceptions.TryAgainError,
          redis.exceptions.ClusterDownError)
MOVING_CODES = ("ASK ", "TRYAGAIN ", "CLUSTERDOWN ")
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
    Without an answer for `timeout` seconds it raises a redis.RedisError, which means: perhaps.
    On a cluster, give the URL of any node and a namespace in braces, such as "{ql}"."""

    def __init__(self, url: str = "redis://127.0.0.1:6379", namespace: str = "ql",
                 name: str | None = None, timeout: float = 10) -> None:
        self.namespace, self.timeout = namespace, timeout
        self.name = name or f"{socket.gethostname()}-{secrets.token_hex(6)}"
        self.redis = redis.Redis.from_url(url, socket_timeout=timeout / 2, health_check_interval=30,
                                          decode_responses=True, encoding_errors="surrogateescape")
        self._nodes = {"": self.redis}  # The node of the URL, and those it has pointed to.
        self.is_sharded = namespace.startswith("{")
        # The second key never exists. While a slot moves, Redis refuses the call because of it.
        self._keys = [2, namespace, f"{namespace}:-"] if self.is_sharded else [1, namespace]

    def call(self, command: str, *args: Any, request: str | None = None, tries: int = 2,
             deadline: float | None = None) -> Any:
        """Calls any command. Sent again after a broken connection, a request id acts once. From
        `deadline` on, in seconds by the server's clock, the call takes no jobs."""
        function = f"qless_{command.replace('.', '_')}"
        envelope = ("" if deadline is None else f"<{deadline:.3f}") + "@"
        words = ["FCALL", function, *self._keys, envelope + (request or secrets.token_hex(9))]
        words += [arg if isinstance(arg, str) else json_text(arg) for arg in args]
        until = time.monotonic() + self.timeout
        while True:
            node = self.redis
            try:
                return node.execute_command(*words)
            except (redis.ConnectionError, redis.TimeoutError, redis.ReadOnlyError):
                tries -= 1
                if tries <= 0:
                    raise
                self.try_another(node)
                time.sleep(0.2)
            except redis.ResponseError as error:
                if time.monotonic() > until or not self.redirected(error):
                    checked(str(error))
                    raise

    def try_another(self, node: redis.Redis) -> None:
        """On a cluster: leaves a node that does not answer for another that is known."""
        nodes = list(self._nodes.values())
        self.redis = nodes[(nodes.index(node) + 1) % len(nodes)]

    def redirected(self, error: Exception) -> bool:
        """On a cluster: goes to the node that has the namespace, or waits while its slot moves."""
        code, _, place = str(error).rpartition(" ")
        if isinstance(error, redis.exceptions.MovedError) or code.startswith("MOVED "):
            if place not in self._nodes:
                pool, (host, _, port) = self._nodes[""].connection_pool, place.rpartition(":")
                there = {**pool.connection_kwargs, "host": host, "port": int(port)}
                own = redis.ConnectionPool(connection_class=pool.connection_class, **there)
                self._nodes = {**self._nodes, place: redis.Redis(connection_pool=own)}
            self.redis = self._nodes[place]
            return True
        is_moving = isinstance(error, MOVING) or str(error).startswith(MOVING_CODES)
        if is_moving:
            time.sleep(0.1)
        return is_moving

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

    def pop(self, queues: str | Sequence[str], count: int = 1,
            deadline: float | None = None) -> list[Job]:
        """Takes up to `count` jobs, from the queues in their order; none if it arrives too late."""
        first, *also = [queues] if isinstance(queues, str) else queues or [""]
        words = [first, self.name, count, "also", also]
        return [Job(popped) for popped in self.call("pop", *words, deadline=deadline)]

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
        self._strays: dict[str, float] = {}  # Jobs that no thread has, and since when.
        self._heard: Any = None

    def stop(self, grace: float = 25) -> None:
        """Takes no more jobs, and lets those that run end for `grace` seconds; returns at once."""
        self.deadline = min(self.deadline, time.monotonic() + grace)

    def run(self, drain: bool = False) -> None:
        """Works until `stop`, SIGTERM or SIGINT; with `drain`, until there is nothing to take.
        While Redis is away it tries again, also at the start. What still runs when the grace is
        over, or when it has to end, is given back at no cost."""
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, lambda *_: self.stop())
        if not self._begun():
            return
        hands = [threading.Thread(target=self._hand, args=(drain,), daemon=True)
                 for _ in range(self.concurrency)]
        for hand in hands:
            hand.start()
        try:
            while any(hand.is_alive() for hand in hands) and time.monotonic() < self.deadline:
                self._look_after()
        finally:
            self._leave()

    def _begun(self) -> bool:
        """Asks for the time of the server until there is an answer; False when stopped before."""
        pause = 0.1
        while self.deadline == math.inf:
            try:
                now = json.loads(self.client.call("cron.due", 0))["now"]
                self._ahead, self._since = now - time.monotonic(), now
                return True
            except (redis.AuthenticationError, redis.exceptions.NoPermissionError):
                raise  # Waiting does not help.
            except (redis.ConnectionError, redis.TimeoutError, redis.ResponseError) as error:
                log.error("%s; this worker tries again", error)
                time.sleep(pause)
                pause = min(pause * 2, 2)
        return False

    def _leave(self) -> None:
        """Takes no more jobs, gives back those in hand, and says goodbye."""
        self.deadline = min(self.deadline, time.monotonic())
        for job in tuple(self._held):
            job.lost.set()
            try:
                self.client.retry(job, delay=0, spend=False)
            except (redis.RedisError, Refused) as error:
                log.warning("Job %s is free when its lock expires: %s", job.jid, error)
        try:
            if self._heard is not None:
                self._heard.close()
            self.client.call("worker.deregister", self.client.name)
        except redis.RedisError as error:
            log.warning("Nobody was told that this worker ends: %s", error)

    def _listen(self) -> Any:
        """What has come on the worker's channel within 0.1 s: None, or a list that ends with it."""
        node = self.client.redis
        try:
            if self._heard is None:
                self._heard = node.pubsub()
                verb = "SSUBSCRIBE" if self.client.is_sharded else "SUBSCRIBE"
                channel = f"{self.client.namespace}:w:{self.client.name}"
                self._heard.execute_command(verb, channel)
            message = self._heard.parse_response(block=False, timeout=0.1)
            if message is None or "unsubscribe" not in str(message[0]):
                return message
        except (redis.RedisError, OSError) as error:
            if not self.client.redirected(error):
                self.client.try_another(node)
                time.sleep(0.1)
        self._heard.close()  # The next look listens anew.
        self._heard = None
        return ["missed", ""]

    def _look_after(self) -> None:
        """Hears that there is a job, or that one is lost. Renews old locks."""
        message = self._listen()
        if message is not None or self.deadline < math.inf:
            self._wake.set()
        is_wake = message is None or '"event":"wake"' in str(message[-1])
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
                until = time.monotonic() + self._ahead + self.client.timeout + 1
                jobs = self.client.pop(self.queues, deadline=until)
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
        self._ahead = told["now"] - time.monotonic()  # The server's clock may have been set.
        self._give_back(told["holds"])
        due = told["next"] - self._ahead if told["next"] else math.inf
        if not told["ready"]:
            self._wake.wait(min(ROUND_S, max(due - time.monotonic(), 0.01)))

    def _give_back(self, holds: int) -> None:
        """Gives back, at no cost, jobs that a delayed request took: no thread has got them in the
        time of a call. Those from before this worker began are an earlier process's."""
        name, now, held = self.client.name, time.monotonic(), {job.jid for job in tuple(self._held)}
        jids = []
        if holds > len(held):
            told = json.loads(self.client.call("workers", name))
            jids = [jid for jid in told["jobs"] + told["stalled"] if jid not in held]
        self._strays = strays = {jid: self._strays.get(jid, now) for jid in jids}
        old = [jid for jid, since in strays.items() if now - since > self.client.timeout + 1]
        for job in json.loads(self.client.call("multiget", *old[:100])) if old else []:
            popped = [entry["when"] for entry in job["history"] if entry["what"] == "popped"]
            if job["worker"] == name and max(popped, default=0) >= self._since:
                log.warning("Job %s was taken by a delayed request and is given back", job["jid"])
                words = ["retry", job["jid"], job["lease"], 4, "delay", 0, "spend", 0]
                self.client.call("finish", name, 0, [], *words)

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
