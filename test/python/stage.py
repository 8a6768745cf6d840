"""One stage of a pipeline, a process that works until it is told to stop.

    stage.py <qless or qless_http> <constructor's arguments as JSON> <worker's options as JSON>
"""
import importlib
import json
import sys
import time

module = importlib.import_module(sys.argv[1])
options = json.loads(sys.argv[2])
client = module.Client(**options)


def middle(job):
    # A worker that is to be killed must hold a job for certain: it stays with its own for good.
    time.sleep(60 if job.data.get("holder") == options["name"] else job.data["seconds"])
    data = {**job.data, "stages": job.data["stages"] + ["python"]}
    return module.Outcome(verb="complete", data=data, next="last")


print("ready", flush=True)
module.Worker(client, "middle", {"part": middle}, **json.loads(sys.argv[3])).run()
print("stopped", flush=True)
