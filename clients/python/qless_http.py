"""A client and a worker for qless over HTTP, in one file, with the standard library alone.

It has the names of qless.py, and talks to `qless serve`, on Redis or on an SQLite file.
docs/guides/other-languages.md goes through it, docs/guides/http.md has every route.
"""
from __future__ import annotations

import json
import logging
import math
import os
import random
import re
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
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Set, Tuple, Union
from urllib.parse import quote

log = logging.getLogger("qless")
KEEP: Any = ...  # In place of data: it stays as it is.
BACKOFF = "exponential 1 cap 600 jitter 0.2"  # Where neither the job nor its queue has one.
Names = Union[str, Sequence[str]]


class QlessError(Exception):
    """Programs go by `code`, which stays from version to version; the sentence is for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code, self.message = code, message


class Refused(QlessError):
    """The server said no, and nothing has changed."""


class Unreachable(QlessError):
    """There was no answer; what was asked for may have been done all the same."""


class Job:
    """A job in hand. When `lost` is set it is no longer yours: stop, and write nothing of it."""

    def __init__(self, told: Mapping[str, Any]) -> None:
        self.jid, self.klass, self.queue = told["jid"], told["klass"], told["queue"]
        self.data, self.tags, self.priority = told["data"], told["tags"], told["priority"]
        self.worker, self.lease, self.expires = told["worker"], told["lease"], told["expires"]
        self.retries, self.remaining = told["retries"], told["remaining"]
        self.lost = threading.Event()
        self.ends = self.beat_at = 0.0  # By time.monotonic(): the lock lapses, is to be renewed.


class Outcome:
    """What becomes of a run; a handler may return it. `complete` takes data, next, delay, depends;
    `fail` group, message and data; `retry` delay, group, message, backoff and spend=False."""

    def __init__(self, verb: str, data: Any = KEEP, **options: Any) -> None:
        self.verb, self.options = verb, given(options)
        if data is not KEEP:
            self.options["data"] = data
        if options.get("group"):
            clean = re.sub(r"[\x00-\x1f\x7f]", " ", options["group"]).encode("utf-8", "replace")
            self.options["group"] = clean[:255].decode("utf-8", "ignore")
        if options.get("message"):  # Of a long traceback, the end says what happened.
            text = options["message"].encode("utf-8", "replace").decode()
            self.options["message"] = text[-16_384:]


def given(options: Mapping[str, Any]) -> Dict[str, Any]:
    """The options that are not None; `for_` stands for `for`."""
    return {name.rstrip("_"): value for name, value in options.items() if value is not None}


GIVE_BACK = Outcome("retry", delay=0, spend=False)


def put_body(queue: str, klass: str, data: Any = None, **options: Any) -> Dict[str, Any]:
    body = {"queue": queue, "klass": klass, "data": data, **given(options)}
    held = {name: body.pop(name) for name in ("until", "for", "conflict") if name in body}
    return {**body, "unique": {"key": body.get("unique"), **held}} if held else body


def only(answers: Sequence[Any]) -> Any:
    """The one answer there is, or the refusal that it is."""
    if isinstance(answers[0], Refused):
        raise answers[0]
    return answers[0]


def answer_from(told: Mapping[str, Any]) -> Any:
    """What became of one job of several: a value, or why not."""
    if "error" in told:
        return Refused(told["error"]["code"], told["error"]["message"])
    return told["expires"] if "expires" in told else told["value"]


def error_from(error: urllib.error.HTTPError) -> Tuple[QlessError, Optional[float]]:
    """What the server said, and after how many seconds to ask again, if that may help."""
    try:
        told = json.loads(error.read())["error"]
    except (ValueError, KeyError, TypeError, OSError, HTTPException):
        told = {"code": f"HTTP_{error.code}", "message": f"The server answered {error.code}"}
    if error.code not in (429, 503) and error.code < 500:
        return Refused(told["code"], told["message"]), None
    after = error.headers.get("Retry-After", "")
    pause = min(float(after), 5.0) if after.isdigit() else 0.5
    return Unreachable(told["code"], told["message"]), pause


class Client:
    """Asks a server. Threads may share it, and a request takes at most about `timeout` seconds,
    unless it waits for jobs. `token` is one of those that the server knows, if it wants any."""

    def __init__(self, url: str = "http://127.0.0.1:4774", token: Optional[str] = None,
                 name: Optional[str] = None, timeout: float = 10.0) -> None:
        if not re.match(r"https?://[^/]", url):
            raise Refused("BAD_ARGUMENT", f"The URL {url!r} must begin with http:// or https://")
        self.url, self.token, self.timeout = url.rstrip("/"), token, timeout
        self.name = name or f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(3)}"

    def call(self, method: str, path: str, body: Any = None, key: Optional[str] = None,
             wait: float = 0) -> Any:
        """Asks any route below /api/v1. What reads, or has a key, is sent again after a broken
        connection: the server acts once for each key. `wait` is how long the answer may take."""
        headers = {"Content-Type": "application/json"}
        if key is not None:
            headers["Idempotency-Key"] = key
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        try:
            text = None if body is None else json.dumps(body, allow_nan=False).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise Refused("BAD_ARGUMENT", f"Data must be JSON: {error}") from None
        request = urllib.request.Request(f"{self.url}/api/v1{path}", text, headers, method=method)
        until, pause = time.monotonic() + self.timeout, 0.02
        while True:
            try:
                with urllib.request.urlopen(request, timeout=self.timeout + wait) as answer:
                    return json.load(answer)
            except urllib.error.HTTPError as error:
                problem, rest = error_from(error)
            except (OSError, HTTPException, ValueError) as error:
                problem, rest = Unreachable("UNREACHABLE", f"The server is away: {error}"), pause
            is_safe = method == "GET" or key is not None
            if rest is None or not is_safe or time.monotonic() + rest > until:
                raise problem from None
            time.sleep(rest)
            pause = min(2 * pause, 0.5)

    def write(self, path: str, body: Any) -> Any:
        """Asks for a change, under a key of its own."""
        return self.call("POST", path, body, secrets.token_hex(9))

    def put(self, queue: str, klass: str, data: Any = None, **options: Any) -> str:
        """Puts a job, and tells its jid; takes jid, delay, and all options of the protocol."""
        return self.write("/jobs", put_body(queue, klass, data, **options))["jid"]

    def put_many(self, jobs: Sequence[Mapping[str, Any]]) -> List[str]:
        """Puts up to 500 jobs, all or none; each has queue, klass, data, and options of put."""
        told = self.write("/jobs/batch", {"jobs": [put_body(**job) for job in jobs]})
        return [job["jid"] for job in told["jobs"]]

    def pop(self, queues: Names, worker: Optional[str] = None, count: int = 1,
            wait: float = 0) -> List[Job]:
        """Takes up to `count` jobs, from the queues in their order, and may wait for one."""
        names = [queues] if isinstance(queues, str) else list(queues)
        body = {"queues": names, "worker": worker or self.name, "count": count, "wait": wait}
        # One that waits has no key: if it is cut off, the server gives its job to somebody else.
        key = None if wait else secrets.token_hex(9)
        return [Job(told) for told in self.call("POST", "/pop", body, key, wait)["jobs"]]

    def beat(self, jobs: Sequence[Job], data: Any = KEEP) -> List[Union[float, Refused]]:
        """Renews locks of one worker; tells of each until when it lasts, or why not."""
        more = {} if data is KEEP else {"data": data}
        beats = [{"jid": job.jid, "lease": job.lease, **more} for job in jobs]
        told = self.write("/heartbeat", {"worker": jobs[0].worker, "jobs": beats})
        return [answer_from(one) for one in told["jobs"]]

    def heartbeat(self, job: Job, data: Any = KEEP) -> float:
        """Renews a lock, and keeps new data with the job; tells until when it lasts."""
        return only(self.beat([job], data))

    def finish(self, worker: str, ended: Sequence[Tuple[Job, Outcome]], queues: Names = (),
               count: int = 1, request: Optional[str] = None) -> Tuple[List[Any], List[Job]]:
        """Ends runs, each for itself, and takes up to `count` jobs, all in one request."""
        outcomes = [{"verb": outcome.verb, "jid": job.jid, "lease": job.lease, **outcome.options}
                    for job, outcome in ended]
        names = [queues] if isinstance(queues, str) else list(queues)
        body = {"worker": worker, "outcomes": outcomes, "queues": names, "count": count}
        told = self.call("POST", "/finish", body, request or secrets.token_hex(9))
        return [answer_from(one) for one in told["outcomes"]], [Job(one) for one in told["jobs"]]

    def _end(self, job: Job, verb: str, data: Any = KEEP, **options: Any) -> str:
        return only(self.finish(job.worker, [(job, Outcome(verb, data, **options))])[0])

    def complete(self, job: Job, data: Any = KEEP, **options: Any) -> str:
        """Ends a run well, or goes on to the queue `next`; tells the new state."""
        return self._end(job, "complete", data, **options)

    def fail(self, job: Job, group: str, message: str, data: Any = KEEP) -> None:
        """Ends a run badly, for good."""
        self._end(job, "fail", data, group=group, message=message)

    def retry(self, job: Job, **options: Any) -> int:
        """Ends a run to try it again; tells how many retries are left, or -1 when it failed."""
        return int(self._end(job, "retry", **options))

    def get(self, jid: str) -> Optional[Dict[str, Any]]:
        """Everything about a job, or None."""
        try:
            return self.call("GET", f"/jobs/{quote(jid, safe='')}")
        except Refused as error:
            if error.code == "NO_SUCH_JOB":
                return None
            raise

    def cancel(self, *jids: str) -> None:
        """Removes jobs: all of them, or none."""
        self.write("/jobs/cancel", {"jids": list(jids)})

    def explain(self, jid: str) -> Dict[str, Any]:
        """Why a job is not running."""
        return self.call("GET", f"/jobs/{quote(jid, safe='')}/explain")

    def queues(self, queue: Optional[str] = None) -> Any:
        """Jobs by state, of one queue or of each."""
        if queue is not None:
            return self.call("GET", f"/queues/{quote(queue, safe='')}")
        return self.call("GET", "/queues")["queues"]

    def stats(self, queue: str, day: Optional[float] = None) -> Dict[str, Any]:
        """How long jobs waited and ran on the day of a moment, today unless said."""
        query = "" if day is None else f"?day={day}"
        return self.call("GET", f"/queues/{quote(queue, safe='')}/stats{query}")

    def now(self) -> float:
        """The engine's time; that of the server, which is to the second, where the token does not
        permit to ask."""
        try:
            return self.call("GET", "/server")["now"]
        except Refused:
            with urllib.request.urlopen(f"{self.url}/healthz", timeout=self.timeout) as answer:
                return parsedate_to_datetime(answer.headers["Date"]).timestamp() + 0.5


class Worker:
    """Runs jobs in `concurrency` threads. A handler gets the job; what it returns becomes the job's
    data, unless it is None or an Outcome. What it raises is tried again after a rest, and fails
    when no retry is left. Each thread without a job asks the server to wait `poll` seconds for one,
    and a stop waits for that, too."""

    def __init__(self, client: Client, queues: Names, handlers: Mapping[str, Callable[[Job], Any]],
                 concurrency: int = 4, name: Optional[str] = None, grace: float = 25.0,
                 poll: float = 5.0) -> None:
        self.client, self.handlers, self.concurrency = client, handlers, concurrency
        self.queues = [queues] if isinstance(queues, str) else list(queues)
        self.name, self.grace, self.poll = name or client.name, grace, poll
        self._held: Dict[int, Job] = {}  # By lease: each is renewed until its end is known.
        self._beats = threading.Event()
        self._deadline, self._is_over = math.inf, False
        self._error: Optional[Exception] = None
        self._unhandled: Set[str] = set()
        if not self.queues or concurrency < 1:
            raise Refused("BAD_ARGUMENT", "A worker needs a queue, and a concurrency of 1 or more")

    def stop(self, grace: Optional[float] = None) -> None:
        """Takes no more jobs and lets those that run end, for `grace` seconds; returns at once."""
        self._deadline = time.monotonic() + (self.grace if grace is None else grace)

    @property
    def is_stopping(self) -> bool:
        return self._deadline < math.inf

    def run(self, drain: bool = False) -> None:
        """Works until `stop`, SIGTERM or SIGINT, of which a second one hurries; with `drain`, until
        there is nothing to take. What still runs when the grace is over is given back."""
        self._offset = self.client.now() - time.monotonic()
        is_main = threading.current_thread() is threading.main_thread()
        numbers = (signal.SIGTERM, signal.SIGINT) if is_main else ()
        before = [(number, signal.signal(number, self._signalled)) for number in numbers]
        hands = [threading.Thread(target=self._hand, args=(drain,), daemon=True)
                 for _ in range(self.concurrency)]
        for thread in [threading.Thread(target=self._beat, daemon=True), *hands]:
            thread.start()
        while any(hand.is_alive() for hand in hands) and time.monotonic() < self._deadline:
            time.sleep(0.05)
        self._leave()
        for number, handler in before:
            signal.signal(number, handler)
        if self._error is not None:
            raise self._error

    def _signalled(self, *_: Any) -> None:
        self.stop(0 if self.is_stopping else None)

    def _leave(self) -> None:
        """Gives back what still runs, at no cost."""
        left = [job for job in tuple(self._held.values()) if not job.lost.is_set()]
        for job in left:
            job.lost.set()
        self._is_over = True
        self._beats.set()
        try:
            if left:
                self.client.finish(self.name, [(job, GIVE_BACK) for job in left])
        except QlessError as error:
            log.warning("What it held is free when the locks expire: %s", error)

    def _hand(self, drain: bool) -> None:
        """The work of one thread: a job, then what became of it and the next."""
        job: Optional[Job] = None
        try:
            while True:
                if job is None and self.is_stopping:
                    return
                job = self._next(job, self._perform(job)) if job else self._ask(drain)
                if job is None and drain:
                    return
        except Exception as error:  # Nothing is given to this worker at all.
            self._error = error
            self.stop(0)

    def _perform(self, job: Job) -> Outcome:
        handler = self.handlers.get(job.klass)
        if self.is_stopping:
            return GIVE_BACK
        if handler is None:
            if job.klass not in self._unhandled and len(self._unhandled) < 100:
                self._unhandled.add(job.klass)
                log.warning("No handler for klass %r: its jobs are given back", job.klass)
            return Outcome("retry", delay=5, spend=False)
        try:
            value = handler(job)
            is_outcome = isinstance(value, Outcome)
            return value if is_outcome else Outcome("complete", KEEP if value is None else value)
        except BaseException as error:  # SystemExit, too: the job must be told of.
            text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
            name = error.code if isinstance(error, QlessError) else type(error).__name__
            group = f"{job.klass}:{name}"
            return Outcome("retry", group=group, message=text, backoff=BACKOFF)

    def _ask(self, drain: bool) -> Optional[Job]:
        """Takes a job, and has the server wait for one."""
        try:
            return self._take(self.client.pop(self.queues, self.name, 1, 0 if drain else self.poll))
        except Unreachable as error:
            if drain:
                raise
            log.error("%s; it is tried again", error)
            time.sleep(random.uniform(0.5, 2))
            return None

    def _take(self, jobs: Sequence[Job]) -> Optional[Job]:
        for job in jobs:
            self._renewed(job, job.expires)
            self._held[job.lease] = job
            self._beats.set()
        return jobs[0] if jobs else None

    def _next(self, job: Job, outcome: Outcome) -> Optional[Job]:
        """Sends what became of a job and takes another, in one request, again and again until there
        is an answer. The key stays, so that a job whose coming was not heard of comes again."""
        queues = [] if self.is_stopping else self.queues
        key, pause, is_mended = secrets.token_hex(9), 0.1, False
        while not (job.lost.is_set() or self._is_over):
            try:
                answers, jobs = self.client.finish(self.name, [(job, outcome)], queues, 1, key)
                if isinstance(answers[0], Refused):
                    log.warning("What became of job %s counts for nothing: %s", job.jid, answers[0])
                self._held.pop(job.lease, None)
                return self._take(jobs)
            except Unreachable as error:
                log.error("%s; running jobs go on, and it is tried again", error)
                time.sleep(pause)
                pause = min(2 * pause, 5.0)
            except Refused as error:
                if is_mended:
                    raise
                # An outcome that makes no sense fails its job, and holds up no other.
                outcome = Outcome("fail", group=f"{job.klass}:{error.code}", message=error.message)
                key, is_mended = secrets.token_hex(9), True
        self._held.pop(job.lease, None)
        return None

    def _beat(self) -> None:
        """Renews each lock after half of its time."""
        while not self._is_over:
            now = time.monotonic()
            due = [job for job in tuple(self._held.values()) if job.beat_at <= now][:500]
            try:
                for job, answer in zip(due, self.client.beat(due) if due else []):
                    self._renewed(job, answer)
            except QlessError:
                for job in due:
                    is_lost = time.monotonic() >= job.ends  # Somebody else may have it by now.
                    self._renewed(job, Refused("LOCK_LOST", "Nobody answers") if is_lost else None)
            soonest = min((job.beat_at for job in tuple(self._held.values())), default=math.inf)
            self._beats.wait(min(max(soonest - time.monotonic(), 0.05), 5.0))
            self._beats.clear()

    def _renewed(self, job: Job, answer: Union[float, Refused, None]) -> None:
        now = time.monotonic()
        if isinstance(answer, Refused):
            log.warning("Job %s is lost: %s", job.jid, answer)
            job.lost.set()
            job.beat_at = math.inf
        elif answer is None:
            job.beat_at = now + 0.5
        else:
            job.ends = answer - self._offset
            job.beat_at = now + max((job.ends - now) / 2, 0.05)
