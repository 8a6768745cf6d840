"""A client and a worker for qless over HTTP, in one file, with the standard library alone.
It has the names of qless.py, and talks to `qless serve`, on Redis or on an SQLite file.
docs/guides/other-languages.md goes through it, docs/guides/http.md has every route.
"""
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
import urllib.error
import urllib.request
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import Any, Callable, Mapping, Sequence
from urllib.parse import urlencode

log = logging.getLogger("qless")
BACKOFF = "exponential 1 cap 600 jitter 0.2"  # Where neither the job nor its queue has one.
PATIENCE = 100_000  # How often a worker says what became of a job until there is an answer.


class Refused(Exception):
    """The server said no, and nothing has changed. Programs go by `code`, people by `message`."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code, self.message = code, message


class Outcome(dict):
    """What a handler may return: Outcome(verb="complete", data={}, next="archive"), fail, retry."""


class Job:
    """A job in hand. When `lost` is set it is no longer yours: stop, and write nothing of it."""

    def __init__(self, told: Mapping[str, Any]) -> None:
        self.jid, self.klass, self.queue = told["jid"], told["klass"], told["queue"]
        self.data, self.tags, self.priority = told["data"], told["tags"], told["priority"]
        self.retries, self.remaining = told["retries"], told["remaining"]
        self.lease, self.expires = told["lease"], told["expires"]
        self.lost, self.beat_at = threading.Event(), 0.0  # By time.monotonic().


def problem_in(error: urllib.error.HTTPError) -> Exception:
    """What the server said: a refusal, unless it is overloaded or something before it failed."""
    try:
        told = json.loads(error.read())["error"]
        code, message = told["code"], told["message"]
    except (ValueError, LookupError, TypeError, OSError, HTTPException):
        code, message = f"HTTP_{error.code}", f"The server answered {error.code}"
    is_away = error.code == 429 or error.code >= 500
    return ConnectionError(message) if is_away else Refused(code, message)


def checked(told: Mapping[str, Any]) -> Mapping[str, Any]:
    """What became of one job of several, which may have been refused."""
    if "error" in told:
        raise Refused(told["error"]["code"], told["error"]["message"])
    return told


class Client:
    """Asks a server, with a `token` if it wants one; threads may share it. Without an answer for
    `timeout` seconds it raises an OSError: what was asked for may have been done all the same."""

    def __init__(self, url: str = "http://127.0.0.1:4774", token: str | None = None,
                 name: str | None = None, timeout: float = 10) -> None:
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"The URL {url!r} must begin with http:// or https://")
        self.url, self.token, self.timeout = url.rstrip("/"), token, timeout
        self.name = name or f"{socket.gethostname()}-{secrets.token_hex(6)}"

    def call(self, method: str, path: str, body: Any = None, key: str | None = None,
             tries: int = 2, wait: float = 0) -> Any:
        """Asks any route below /api/v1. What reads, or has a key, is sent again when the connection
        breaks: the server acts once for each key. `wait` is how long the answer may take."""
        headers = {"Content-Type": "application/json"}
        if key is not None:
            headers["Idempotency-Key"] = key
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        text = None if body is None else json.dumps(body, allow_nan=False).encode()
        request = urllib.request.Request(f"{self.url}/api/v1{path}", text, headers, method=method)
        is_safe = method == "GET" or key is not None
        for left in reversed(range(tries if is_safe else 1)):
            try:
                with urllib.request.urlopen(request, timeout=self.timeout / 2 + wait) as answer:
                    return json.load(answer)
            except urllib.error.HTTPError as error:
                problem = problem_in(error)
            except (OSError, HTTPException, ValueError) as error:
                problem = ConnectionError(f"The server is away: {error}")
            if left == 0 or isinstance(problem, Refused):
                raise problem from None
            time.sleep(0.5)

    def write(self, path: str, body: Any, tries: int = 2) -> Any:
        """Asks for a change, under a key of its own."""
        return self.call("POST", path, body, secrets.token_hex(9), tries)

    def put(self, queue: str, klass: str, data: Any = None, **options: Any) -> str:
        """Puts a job and returns its jid; takes jid, delay, if_exists and the route's options."""
        return self.write("/jobs", {"queue": queue, "klass": klass, "data": data, **options})["jid"]

    def put_many(self, jobs: Sequence[Mapping[str, Any]]) -> list[str]:
        """Puts up to 500 jobs, all or none. Unless if_exists differs, existing jobs are kept."""
        return [told["jid"] for told in self.write("/jobs/batch", {"jobs": jobs})["jobs"]]

    def pop(self, queues: str | Sequence[str], count: int = 1, wait: float = 0) -> list[Job]:
        """Takes up to `count` jobs, from the queues in their order, and may wait for one."""
        names = [queues] if isinstance(queues, str) else queues
        body = {"queues": names, "worker": self.name, "count": count, "wait": wait}
        # One that waits has no key: if it is cut off, the server gives its job to somebody else.
        key = None if wait else secrets.token_hex(9)
        return [Job(told) for told in self.call("POST", "/pop", body, key, wait=wait)["jobs"]]

    def heartbeat(self, job: Job, **options: Any) -> float:
        """Renews a lock, and keeps `data` with the job; tells until when the lock lasts."""
        beat = {"jid": job.jid, "lease": job.lease, **options}
        [told] = self.write("/heartbeat", {"worker": self.name, "jobs": [beat]})["jobs"]
        return checked(told)["expires"]

    def finish(self, job: Job, verb: str, tries: int = 2, **options: Any) -> str:
        """Ends a run by complete, fail or retry; tells the new state, or the retries left."""
        outcome = {"verb": verb, "jid": job.jid, "lease": job.lease, **options}
        told = self.write("/finish", {"worker": self.name, "outcomes": [outcome]}, tries)
        return checked(told["outcomes"][0])["value"]

    def complete(self, job: Job, **options: Any) -> str:
        """Ends a run well, with new `data` if there is some, or goes on to the queue `next`."""
        return self.finish(job, "complete", **options)

    def fail(self, job: Job, group: str, message: str, **options: Any) -> None:
        self.finish(job, "fail", group=group, message=message, **options)

    def retry(self, job: Job, **options: Any) -> int:
        """Ends a run to try it again; tells how many retries are left, or -1 when it failed."""
        return int(self.finish(job, "retry", **options))

    def get(self, jid: str) -> dict[str, Any] | None:
        try:
            return self.call("GET", f"/jobs/-?{urlencode({'jid': jid})}")
        except Refused as error:
            if error.code == "NO_SUCH_JOB":
                return None
            raise

    def cancel(self, *jids: str) -> None:
        self.write("/jobs/cancel", {"jids": jids})

    def explain(self, jid: str) -> dict[str, Any]:
        return self.call("GET", f"/jobs/-/explain?{urlencode({'jid': jid})}")

    def queues(self, queue: str = "") -> Any:
        """Jobs by state, of one queue or of each."""
        told = self.call("GET", f"/queues/-?{urlencode({'queue': queue})}" if queue else "/queues")
        return told if queue else told["queues"]

    def stats(self, queue: str, day: float | None = None) -> dict[str, Any]:
        """How long jobs waited and ran on the day of a moment, today unless said."""
        query = {"queue": queue, **({} if day is None else {"day": day})}
        return self.call("GET", f"/queues/-/stats?{urlencode(query)}")

    def now(self) -> float:
        """The time of the engine; that of the server, to the second, if the token may not ask."""
        try:
            return self.call("GET", "/server")["now"]
        except Refused:
            with urllib.request.urlopen(f"{self.url}/healthz", timeout=self.timeout) as answer:
                return parsedate_to_datetime(answer.headers["Date"]).timestamp() + 0.5


class Worker:
    """Runs `concurrency` jobs at a time, in threads. What a handler returns becomes the job's data,
    unless it is None or an Outcome. What it raises is tried again after a rest. A thread without a
    job asks the server to wait `poll` seconds for one, and a stop waits for that, too."""

    def __init__(self, client: Client, queues: str | Sequence[str],
                 handlers: Mapping[str, Callable[[Job], Any]], concurrency: int = 4,
                 poll: float = 5) -> None:
        self.client, self.queues, self.handlers = client, queues, handlers
        self.concurrency, self.poll, self.deadline = concurrency, poll, math.inf
        self._held = set[Job]()

    def stop(self, grace: float = 25) -> None:
        """Takes no more jobs, and lets those that run end for `grace` seconds; returns at once."""
        self.deadline = min(self.deadline, time.monotonic() + grace)

    def run(self, drain: bool = False) -> None:
        """Works until `stop`, SIGTERM or SIGINT; with `drain`, until there is nothing to take.
        What still runs when the grace is over is given back, at no cost."""
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, lambda *_: self.stop())
        if not self._begun():
            return
        hands = [threading.Thread(target=self._hand, args=(drain,), daemon=True)
                 for _ in range(self.concurrency)]
        for hand in hands:
            hand.start()
        while any(hand.is_alive() for hand in hands) and time.monotonic() < self.deadline:
            time.sleep(0.1)
            for job in tuple(self._held):
                if not job.lost.is_set() and job.beat_at <= time.monotonic():
                    self._renew(job)
        for job in tuple(self._held):
            job.lost.set()
            try:
                self.client.retry(job, delay=0, spend=False)
            except (OSError, Refused) as error:
                log.warning("Job %s is free when its lock expires: %s", job.jid, error)

    def _begun(self) -> bool:
        """Asks for the engine's time until there is an answer; False when stopped before."""
        pause = 0.1
        while self.deadline == math.inf:
            try:
                self._ahead = self.client.now() - time.monotonic()  # Of this clock, the engine's.
                return True
            except OSError as error:
                log.error("%s; this worker tries again", error)
                time.sleep(pause)
                pause = min(pause * 2, 2)
        return False

    def _renew(self, job: Job) -> None:
        now = time.monotonic()
        try:
            job.expires = self.client.heartbeat(job)
            job.beat_at = (now + job.expires - self._ahead) / 2
        except (OSError, Refused) as error:
            # While nobody answers, the lock holds until it expires.
            if isinstance(error, Refused) or now + self._ahead > job.expires:
                log.warning("Job %s is lost: %s", job.jid, error)
                job.lost.set()

    def _hand(self, drain: bool) -> None:
        """The work of one thread: takes a job, waiting for it at the server, and runs it."""
        while self.deadline == math.inf:
            try:
                jobs = self.client.pop(self.queues, wait=0 if drain else self.poll)
                if jobs:
                    self._work(jobs[0])
                elif drain:
                    return
            except Exception as error:
                log.error("%s; this worker goes on", error)
                time.sleep(1)

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
            self.client.retry(job, tries=PATIENCE, group=group, message=text, backoff=BACKOFF)
        finally:
            self._held.discard(job)
