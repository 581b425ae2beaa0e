"""Events of a decision log, decided again: what each would have been."""

import json
from json.decoder import scanstring

from policy import Policy

UNDECIDED = "cannot be decided again"
# Those need the clock's or chance's own answers, or lack a part of their request: portcullis replay knows which can be asked.
INCOMPLETE = {"nd_builtin_cache", "erased", "masked", "error"}
DECODER = json.JSONDecoder()


def members(text: str) -> dict:
    """The members of an object as they stand, so that no digit of a request is lost. ValueError for anything else."""
    found, at = {}, skip(text, 0)
    if text[at : at + 1] != "{":
        raise ValueError("no object")
    at = skip(text, at + 1)
    while text[at : at + 1] != "}":
        if found:
            at = skip(text, expect(text, at, ","))
        name, at = scanstring(text, expect(text, at, '"'))
        start = skip(text, expect(text, skip(text, at), ":"))
        _, at = DECODER.raw_decode(text, start)
        if name in found:
            raise ValueError("a member twice")
        found[name] = text[start:at]
        at = skip(text, at)
    if skip(text, at + 1) != len(text):
        raise ValueError("more than an object")
    return found


def skip(text: str, at: int) -> int:
    while text[at : at + 1] in (" ", "\t", "\r", "\n"):
        at += 1
    return at


def expect(text: str, at: int, what: str) -> int:
    if text[at : at + 1] != what:
        raise ValueError(f"no {what}")
    return at + 1


def text_of(member):
    value = None if member is None else json.loads(member)
    return value if isinstance(value, str) else None


def allows(answer) -> bool:
    return isinstance(answer, dict) and (answer.get("allowed") is True or answer.get("decision") is True)


def change(policy: Policy, line: str):
    """A row of what this event would have been; `None` for what is no decision."""
    try:
        event = members(line)
    except ValueError:
        return UNDECIDED, None, None, None, None
    # A ledger's own lines, and what a log says of events that it lost.
    if "checkpoint" in event or (event.keys() & {"dropped", "error", "refused"} and not event.keys() & {"path", "input", "result"}):
        return None
    path, result = text_of(event.get("path")), json.loads(event.get("result", "null"))
    row = text_of(event.get("decision_id")), path, event.get("result")
    if INCOMPLETE & event.keys() or "input" not in event or path is None:
        return UNDECIDED, *row, None
    now = policy.decide(path, event["input"])
    text = json.dumps(now, ensure_ascii=False)
    if now is None:
        return UNDECIDED, *row, text
    if allows(now) != allows(result):
        return "newly allowed" if allows(now) else "newly denied", *row, text
    return "the same" if now == result else "another answer", *row, text
