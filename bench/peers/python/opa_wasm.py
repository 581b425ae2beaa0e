"""opa-wasmtime on the module that the job names, with the functions that OPA's module leaves to its host. Its answers are whole.

What it does with its questions: see `Job` and `Told` in ../outside.ts.
"""

import json
import re
import sys
from importlib.metadata import version
from time import perf_counter_ns

from opa_wasmtime import OPAPolicy


def any_prefix_match(text, prefixes):
    return isinstance(text, str) and any(text.startswith(prefix) for prefix in prefixes)


def find_n(pattern, text, most):
    found = [match.group() for match in re.finditer(pattern, text)] if isinstance(text, str) else []
    return found if most < 0 else found[:most]


def replace(text, pattern, value):
    return re.sub(pattern, value, text) if isinstance(text, str) else None


BUILTINS = {"strings.any_prefix_match": any_prefix_match, "regex.find_n": find_n, "regex.replace": replace}


def told_of(policy, job, question):
    entrypoint = question["entrypoint"]
    requests = [text.encode() for text in question["requests"]]

    def decide(request):
        return policy.evaluate(json.loads(request), entrypoint)[0]["result"]

    if job["ms"] == 0:
        return {"answers": [decide(request) for request in requests], "nanos": []}
    warm, timed = requests[: len(requests) // 4], requests[len(requests) // 4 :]
    end, i = perf_counter_ns() + job["warmMs"] * 1_000_000, 0
    while perf_counter_ns() < end:
        decide(warm[i % len(warm)])
        i += 1
    end, nanos = perf_counter_ns() + job["ms"] * 1_000_000, []
    for request in timed:
        start = perf_counter_ns()
        if start > end:
            break
        decide(request)
        nanos.append(perf_counter_ns() - start)
    return {"answers": [], "nanos": nanos}


with open(sys.argv[1], encoding="utf-8") as file:
    JOB = json.load(file)
POLICY = OPAPolicy(JOB["module"], builtins=BUILTINS)
POLICY.set_data(json.loads(JOB["data"]))
TOLD = [told_of(POLICY, JOB, question) for question in JOB["asked"]]
print(json.dumps({"version": f"{version('opa-wasmtime')}, wasmtime {version('wasmtime')}", "told": TOLD}))
