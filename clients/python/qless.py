"""A client and a worker for qless over Redis, in one file; it needs the package redis and no other.

docs/guides/other-languages.md goes through it step by step, docs/protocol.md has every command.
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
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Set, Tuple, Union

import redis

log = logging.getLogger("qless")
KEEP: Any = ...  # In place of data: it stays as it is.
BACKOFF = "exponential 1 cap 600 jitter 0.2"  # Where neither the job nor its queue has one.
ROUND_S = 5.0  # Between two rounds of upkeep, and two looks of one who waits to be woken.
Names = Union[str, Sequence[str]]


class QlessError(Exception):
    """Programs go by `code`, which stays from version to version; the sentence is for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code, self.message = code, message


class Refused(QlessError):
    """The core said no, and has changed nothing."""


class Unreachable(QlessError):
    """There was no answer; what was asked for may have been done all the same."""


class Job:
    """A job in hand. When `lost` is set it is no longer yours: stop, and write nothing of it."""

    def __init__(self, worker: str, values: Sequence[str]) -> None:
        self.jid, self.klass, self.queue, self.raw, lease, expires, *more = values
        self.worker, self.lease, self.expires = worker, int(lease), float(expires)
        # A job with nothing particular about it ends with `expires`.
        priority, retries, remaining, tags = (more or ["0", "5", "5", "[]"])[:4]
        self.priority, self.retries, self.remaining = float(priority), int(retries), int(remaining)
        self.tags: List[str] = json.loads(tags)
        self.lost = threading.Event()
        self.ends = self.beat_at = 0.0  # By time.monotonic(): the lock lapses, is to be renewed.

    @property
    def data(self) -> Any:
        return data_from(self.raw)


class Outcome:
    """What becomes of a run; a handler may return it. `complete` takes data, next, delay, depends;
    `fail` group, message and data; `retry` delay, group, message, backoff and spend=False."""

    def __init__(self, verb: str, data: Any = KEEP, **options: Any) -> None:
        self.verb, self.options = verb, options
        if data is not KEEP:
            options["data"] = json_text(data)
        if options.get("group"):
            clean = re.sub(r"[\x00-\x1f\x7f]", " ", options["group"]).encode("utf-8", "replace")
            options["group"] = clean[:255].decode("utf-8", "ignore")
        if options.get("message"):  # Of a long traceback, the end says what happened.
            options["message"] = options["message"].encode("utf-8", "replace").decode()[-16_384:]
        if verb == "retry":
            options["lot"] = random.random()


GIVE_BACK = Outcome("retry", delay=0, spend=False)


def json_text(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise Refused("BAD_ARGUMENT", f"Data must be JSON: {error}") from None


def data_from(text: str) -> Any:
    """Data as it was put; what another program put that is no JSON, as a text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def word(value: Any) -> bytes:
    """An argument as it travels: as text, lists as JSON."""
    if isinstance(value, (list, tuple, dict)):
        value = json_text(value)
    elif isinstance(value, bool) or value is None:
        value = "" if value is None else int(value)
    try:
        return str(value).encode()
    except UnicodeEncodeError:
        raise Refused("BAD_ARGUMENT", "Text with half of a surrogate is not Unicode") from None


def option_words(options: Mapping[str, Any]) -> List[Any]:
    """`name value ...` of the options that are given; `for_` stands for `for`."""
    given = [(name.rstrip("_"), value) for name, value in options.items() if value is not None]
    return [part for pair in given for part in pair]


def put_words(queue: str, klass: str, data: Any = None, jid: Optional[str] = None,
              delay: float = 0, **options: Any) -> Tuple[List[Any], List[Any]]:
    head = [queue, jid or secrets.token_hex(12), klass, json_text(data), delay]
    return head, option_words(options)


def refusal_in(text: str) -> Optional[Refused]:
    """A refusal begins with its code; what Redis itself says begins with a word without `_`."""
    match = re.match(r"([A-Z]+(?:_[A-Z]+)+|CYCLE) (.*)", text, re.DOTALL)
    return match and Refused(match[1], match[2])


def only(answers: Sequence[Any]) -> Any:
    """The one answer there is, or the refusal that it is."""
    if isinstance(answers[0], Refused):
        raise answers[0]
    return answers[0]


class Client:
    """Calls the commands of one namespace. Threads may share it, and a call takes at most about
    `timeout` seconds. `library` is the path of dist/qless.functions.lua, which is loaded where
    Redis has none; without it, `npx qless install` does that."""

    def __init__(self, url: str = "redis://127.0.0.1:6379", namespace: str = "ql",
                 library: Optional[str] = None, name: Optional[str] = None,
                 timeout: float = 10.0) -> None:
        self.namespace, self.library, self.timeout = namespace, library, timeout
        self.name = name or f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(3)}"
        options = {"socket_timeout": timeout, "socket_connect_timeout": timeout,
                   "decode_responses": True, "encoding_errors": "replace"}
        try:
            self.redis = redis.Redis.from_url(url, health_check_interval=30, **options)
        except ValueError as error:
            raise Refused("BAD_ARGUMENT", f"The URL cannot be used: {error}") from None
        self.call("layout")

    def call(self, command: str, *args: Any, request: Optional[str] = None) -> Any:
        """Calls any command. After a broken connection it is sent again under the same request
        id, and so takes effect once."""
        envelope = "@" + (request or secrets.token_hex(9))
        words = ["FCALL", f"qless_{command.replace('.', '_')}", 1, self.namespace, envelope]
        words += [word(arg) for arg in args]
        until, pause, loads = time.monotonic() + self.timeout, 0.01, 0
        while True:
            try:
                return self.redis.execute_command(*words)
            except redis.RedisError as error:
                if "Function not found" in str(error):
                    loads += 1
                    self._load(command, loads)
                elif not is_passing(error) or time.monotonic() + pause > until:
                    raise Unreachable("UNREACHABLE", f"Redis gave no answer: {error}") from None
            time.sleep(pause)
            pause = min(2 * pause, 0.4)

    def _load(self, command: str, loads: int) -> None:
        if self.library is None or loads > 3:
            raise Unreachable("NO_FUNCTION", f"Redis has no function for {command}: see whether "
                              "there is such a command, and run `npx qless install`")
        try:
            with open(self.library, encoding="utf-8") as file:
                self.redis.execute_command("FUNCTION", "LOAD", file.read())
        except (redis.RedisError, OSError) as error:
            if "already exists" not in str(error):  # Else somebody was quicker.
                raise Unreachable("NO_FUNCTION", f"The library cannot be loaded: {error}") from None

    def json(self, command: str, *args: Any) -> Any:
        """Calls a command that answers JSON."""
        reply = self.call(command, *args)
        return None if reply is None else json.loads(reply)

    def put(self, queue: str, klass: str, data: Any = None, **options: Any) -> str:
        """Puts a job, and tells its jid; takes jid, delay, and all options of the protocol."""
        head, words = put_words(queue, klass, data, **options)
        return self.call("put", self.name, *head, *words)

    def put_many(self, jobs: Sequence[Mapping[str, Any]]) -> List[str]:
        """Puts up to 1,000 jobs, all or none; each has queue, klass, data, and options of put."""
        parts = [put_words(**job) for job in jobs]
        words = [part for head, options in parts for part in (*head, len(options), *options)]
        return self.call("put.many", self.name, *words)

    def pop(self, queues: Names, worker: Optional[str] = None, count: int = 1) -> List[Job]:
        """Takes up to `count` jobs, from the queues in their order."""
        first, *also = [queues] if isinstance(queues, str) else list(queues) or [""]
        name = worker or self.name
        return [Job(name, job) for job in self.call("pop", first, name, count, "also", also)]

    def beat(self, jobs: Sequence[Job], data: Any = KEEP) -> List[Union[float, Refused]]:
        """Renews locks of one worker; tells of each until when it lasts, or why not."""
        text = "" if data is KEEP else json_text(data)
        words = [part for job in jobs for part in (job.jid, job.lease, text)]
        answers = self.call("heartbeat.many", jobs[0].worker, *words)
        return [refusal_in(answer) or float(answer) for answer in answers]

    def heartbeat(self, job: Job, data: Any = KEEP) -> float:
        """Renews a lock, and keeps new data with the job; tells until when it lasts."""
        return only(self.beat([job], data))

    def finish(self, worker: str, ended: Sequence[Tuple[Job, Outcome]], queues: Names = (),
               count: int = 0, request: Optional[str] = None) -> Tuple[List[Any], List[Job]]:
        """Ends runs, each for itself, and takes up to `count` jobs, all in one call."""
        words: List[Any] = []
        for job, outcome in ended:
            options = option_words(outcome.options)
            words += [outcome.verb, job.jid, job.lease, len(options), *options]
        names = [queues] if isinstance(queues, str) else list(queues)
        answers, popped = self.call("finish", worker, count, names, *words, request=request)
        return [refusal_in(text) or text for text in answers], [Job(worker, job) for job in popped]

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
        job = self.json("get", jid)
        return job and {**job, "data": data_from(job["data"])}

    def cancel(self, *jids: str) -> None:
        """Removes jobs: all of them, or none."""
        self.call("cancel", *jids)

    def explain(self, jid: str) -> Dict[str, Any]:
        """Why a job is not running."""
        return self.json("explain", jid)

    def queues(self, queue: Optional[str] = None) -> Any:
        """Jobs by state, of one queue or of each."""
        return self.json("queues", queue)

    def stats(self, queue: str, day: Optional[float] = None) -> Dict[str, Any]:
        """How long jobs waited and ran on the day of a moment, today unless said."""
        return self.json("stats", queue, time.time() if day is None else day)


def is_passing(error: redis.RedisError) -> bool:
    """Whether another attempt may help; a refusal is raised."""
    refusal = refusal_in(str(error))
    if refusal is not None:
        raise refusal from None
    passing = (redis.ConnectionError, redis.TimeoutError, redis.ReadOnlyError)
    words = ("LOADING", "BUSY", "TRYAGAIN", "MASTERDOWN", "CLUSTERDOWN")
    is_away = isinstance(error, passing) or str(error).startswith(words)
    return is_away and not isinstance(error, redis.AuthenticationError)


class Worker:
    """Runs jobs in `concurrency` threads. A handler gets the job; what it returns becomes the job's
    data, unless it is None or an Outcome. What it raises is tried again after a rest, and fails
    when no retry is left."""

    def __init__(self, client: Client, queues: Names, handlers: Mapping[str, Callable[[Job], Any]],
                 concurrency: int = 4, name: Optional[str] = None, grace: float = 25.0) -> None:
        self.client, self.handlers, self.concurrency = client, handlers, concurrency
        self.queues = [queues] if isinstance(queues, str) else list(queues)
        self.name, self.grace = name or client.name, grace
        self._held: Dict[int, Job] = {}  # By lease: each is renewed until its end is known.
        self._idle: Dict[int, bool] = {}  # The threads that wait to be woken.
        self._wake, self._beats = threading.Event(), threading.Event()
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
        self._offset = self.client.json("cron.due", 0)["now"] - time.monotonic()
        is_main = threading.current_thread() is threading.main_thread()
        numbers = (signal.SIGTERM, signal.SIGINT) if is_main else ()
        before = [(number, signal.signal(number, self._signalled)) for number in numbers]
        hands = [threading.Thread(target=self._hand, args=(drain,), daemon=True)
                 for _ in range(self.concurrency)]
        others = [threading.Thread(target=self._hear, daemon=True),
                  threading.Thread(target=self._beat, daemon=True)]
        for thread in others + hands:
            thread.start()
        while any(hand.is_alive() for hand in hands) and time.monotonic() < self._deadline:
            time.sleep(0.05)
            if self.is_stopping:
                self._wake.set()
        self._leave()
        for number, handler in before:
            signal.signal(number, handler)
        if self._error is not None:
            raise self._error

    def _signalled(self, *_: Any) -> None:
        self.stop(0 if self.is_stopping else None)

    def _leave(self) -> None:
        """Gives back what still runs, at no cost, and takes this worker off the list."""
        left = [job for job in tuple(self._held.values()) if not job.lost.is_set()]
        for job in left:
            job.lost.set()
        self._is_over = True
        self._beats.set()
        try:
            self.client.finish(self.name, [(job, GIVE_BACK) for job in left])
            self.client.call("wait", self.name, 0, *self.queues)
            self.client.call("worker.deregister", self.name)
        except QlessError as error:
            log.warning("What it held is free when the locks expire: %s", error)

    def _hand(self, drain: bool) -> None:
        """The work of one thread: a job, then what became of it and the next."""
        job: Optional[Job] = None
        try:
            while True:
                job = self._next(job, self._perform(job) if job else None)
                if job is None and (drain or self.is_stopping):
                    return
                if job is None:
                    self._await_job()
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

    def _next(self, job: Optional[Job], outcome: Optional[Outcome]) -> Optional[Job]:
        """Sends what became of a job and takes another, in one call, again and again until there is
        an answer. The request id stays, so that a job whose coming was not heard of comes again."""
        ended = [(job, outcome)] if job and outcome and not job.lost.is_set() else []
        queues = [] if self.is_stopping else self.queues
        answers: List[Any] = []
        jobs: List[Job] = []
        request, pause, is_mended = secrets.token_hex(9), 0.1, False
        while (ended or queues) and not self._is_over:
            try:
                count = 1 if queues else 0
                answers, jobs = self.client.finish(self.name, ended, queues, count, request)
                break
            except Unreachable as error:
                log.error("%s; running jobs go on, and it is tried again", error)
                time.sleep(pause)
                pause = min(2 * pause, 5.0)
            except Refused as error:
                if not ended or is_mended:
                    raise
                # An outcome that makes no sense fails its job, and holds up no other.
                outcome = Outcome("fail", group=f"{job.klass}:{error.code}", message=error.message)
                ended, request, is_mended = [(job, outcome)], secrets.token_hex(9), True
        if job is not None:
            self._held.pop(job.lease, None)
        for refusal in [one for one in answers if isinstance(one, Refused)]:
            log.warning("What became of job %s counts for nothing: %s", job.jid, refusal)
        for taken in jobs:
            self._renewed(taken, taken.expires)
            self._held[taken.lease] = taken
            self._beats.set()
        return jobs[0] if jobs else None

    def _await_job(self) -> None:
        """Has itself woken when there is a job, and looks when one is due, and now and then."""
        self._wake.clear()
        self._idle[threading.get_ident()] = True
        seconds = ROUND_S * random.uniform(0.9, 1.1)
        try:
            reply = self.client.json("wait", self.name, ROUND_S + 10, *self.queues)
            if reply["next"] is not None:
                seconds = min(seconds, reply["next"] - self._offset - time.monotonic())
            if not reply["ready"] and not self.is_stopping:
                self._wake.wait(max(seconds, 0.01))
        except Unreachable as error:
            log.error("%s; it is tried again", error)
        finally:
            self._idle.pop(threading.get_ident(), None)

    def _hear(self) -> None:
        """Listens on the worker's channel: there is a job, or one is no longer its own."""
        heard = None
        while not self._is_over:
            try:
                if heard is None:
                    heard = self.client.redis.pubsub()
                    heard.subscribe(f"{self.client.namespace}:w:{self.name}")
                message = heard.get_message(timeout=0.5)
                if message is not None and message["type"] == "message":
                    self._told(json.loads(message["data"]))
                elif message is not None:  # Subscribed, perhaps anew: it may have missed something.
                    self._wake.set()
                    self._told({"event": "missed"})
            except (redis.RedisError, OSError, QlessError):
                heard = None
                time.sleep(0.5)
        if heard is not None:
            heard.close()

    def _told(self, event: Dict[str, Any]) -> None:
        if event["event"] != "wake":  # A job is lost or canceled; the next heartbeat finds out.
            for job in tuple(self._held.values()):
                job.beat_at = 0.0 if event.get("jid") in (job.jid, None) else job.beat_at
            self._beats.set()
        elif self._idle:
            self._wake.set()
        else:  # There are no hands free: somebody else is to be woken.
            self.client.call("wait", self.name, 0, *self.queues)

    def _beat(self) -> None:
        """Renews each lock after half of its time, and does what time demands of the queues."""
        round_at = 0.0
        while not self._is_over:
            now = time.monotonic()
            due = [job for job in tuple(self._held.values()) if job.beat_at <= now][:1000]
            try:
                for job, answer in zip(due, self.client.beat(due) if due else []):
                    self._renewed(job, answer)
                if now >= round_at:
                    round_at = now + ROUND_S
                    self._look_after()
            except QlessError:
                for job in due:
                    is_lost = time.monotonic() >= job.ends  # Somebody else may have it by now.
                    self._renewed(job, Refused("LOCK_LOST", "Nobody answers") if is_lost else None)
            soonest = min([round_at, *(job.beat_at for job in tuple(self._held.values()))])
            self._beats.wait(min(max(soonest - time.monotonic(), 0.05), ROUND_S))
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

    def _look_after(self) -> None:
        self.client.call("tick")
        facts = {"host": socket.gethostname(), "pid": os.getpid(), "model": "threads (Python)",
                 "concurrency": self.concurrency, "running": len(self._held)}
        lists = ("queues", self.queues, "klasses", list(self.handlers))
        self.client.call("worker.present", self.name, 4 * ROUND_S, facts, *lists)
