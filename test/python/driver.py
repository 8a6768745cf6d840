"""Calls a Python client for a test: a line of JSON says what to call, another tells the answer.

    driver.py <qless or qless_http>

It begins with `open`, and the arguments of a client.
"""
import importlib
import json
import sys
import threading
import time

module = importlib.import_module(sys.argv[1])
jobs = {}


def given(value):
    """Jobs that were told are named by their lease."""
    if isinstance(value, dict) and "$job" in value:
        return jobs[value["$job"]]
    if isinstance(value, dict):
        return {name: given(one) for name, one in value.items()}
    return [given(one) for one in value] if isinstance(value, list) else value


def told(value):
    if isinstance(value, module.Job):
        jobs[value.lease] = value
        names = ("jid", "klass", "queue", "data", "lease", "priority", "retries", "remaining",
                 "tags", "expires")
        return {name: getattr(value, name) for name in names}
    return [told(one) for one in value] if isinstance(value, (list, tuple)) else value


def refusal(error):
    """What a client raises: a refusal, or what Python or the way to the server has to say."""
    if isinstance(error, module.Refused):
        return {"error": "Refused", "code": error.code, "message": error.message}
    return {"error": type(error).__name__, "code": "", "message": str(error)}


def handlers():
    """What jobs of each klass do, for the tests of workers."""
    def lingers(job):
        begun.append(job.jid)
        until = time.monotonic() + job.data.get("seconds", 60)
        while time.monotonic() < until and not job.lost.is_set():
            time.sleep(0.01)
        return {"lost": job.lost.is_set()}

    def fails(job):
        raise LookupError("no such " + "thing" * job.data.get("times", 1))

    return {
        "returns": lambda job: {"n": job.data["n"] + 1},
        "nothing": lambda job: None,
        "goes-on": lambda job: module.Outcome(verb="complete", data={"n": 2}, next="archive"),
        "gives-up": lambda job: module.Outcome(verb="fail", group="no-account", message="She left"),
        "senseless": lambda job: module.Outcome(verb="fail", group="alone"),
        "no-json": lambda job: {1, 2},
        "exits": lambda job: sys.exit(3),
        "lingers": lingers,
        "fails": fails,
    }


def work(client, options):
    """Starts a worker that ends with stop(); or drains the queues."""
    is_drain = options.pop("drain", False)
    worker = module.Worker(client, options.pop("queues", "q"), handlers(), **options)
    if is_drain:
        return worker.run(drain=True)
    thread = threading.Thread(target=worker.run)
    thread.start()
    started.append((worker, thread))


def stop(client, options):
    worker, thread = started.pop()
    worker.stop(**options)
    thread.join()


started = []
begun = []  # The jids of jobs that linger.


def answer(client, method, args, options):
    if method == "open":
        opened[:] = [module.Client(**options)]
        begun.clear()
    elif method == "tried":
        return module.Client(**options).queues()
    elif method == "begun":
        return sorted(begun)
    elif method in ("work", "stop"):
        return {"work": work, "stop": stop}[method](client, options)
    else:
        return told(getattr(client, method)(*args, **options))


def attempt(make):
    try:
        return {"value": make()}
    except Exception as error:
        return refusal(error)


def say(value):
    print(json.dumps(value), flush=True)


opened = [None]
for line in sys.stdin:
    method, args, options = json.loads(line)
    say(attempt(lambda: answer(opened[0], method, given(args), given(options))))
