"""An episode's cause in words: what happened, how it came about, why it lasted, how sure that is, what to check."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from wastenot._native import checker
from wastenot.analyzer.units import core_seconds, counted, cpu_list, duration

PLACED = {
    "wakeup": "they were woken there",
    "wakeup: prev cpu kept": "a wakeup kept them on the CPU they had before, and no other was idle then",
    "wakeup: wake-affine": "a wakeup drew them to the CPU of their waker, which was busy",
    "wakeup: idle-sibling scan limited to one LLC": (
        "they were woken onto a busy CPU: a wakeup looks for an idle one within one last-level cache, and the idle "
        "ones were outside"
    ),
    "wakeup: idle-sibling scan cut short": (
        "they were woken onto a busy CPU although the same cache had an idle one: the search was cut short"
    ),
    "fork/exec": "they were created (or did an exec) there",
    "periodic balance": "the periodic balancer put them there",
    "newidle balance": "a CPU that was going idle had pulled them there",
    "nohz balance": "an idle CPU that balances for others put them there",
    "active balance": "the balancer's stopper pushed them there",
    "NUMA balance": "NUMA balancing moved them there, towards their memory",
    "RT/DL push": "real-time or deadline push moved them there",
    "RT/DL pull": "real-time or deadline pull moved them there",
    "affinity change": "they were pinned there until their mask was changed",
    "cgroup move": "a change of cgroup moved them there",
    "hotplug push": "they were pushed there when their CPU went offline",
    "preempted in place": "they ran there alone and were preempted",
    "sched_ext": "a sched_ext scheduler placed them there",
}
"""How threads came to wait, by answer."""

UNCORRECTED = {
    "newidle did not run (cut off)": "the CPU that went idle did not look for work as far as that queue",
    "newidle ran and pulled nothing": "the CPU that went idle looked there and took nobody",
    "periodic ran and found balance: group average hides idle cores": (
        "the balancer ran and found balance: the average load of a group hid that some of its CPUs were idle"
    ),
    "periodic ran and found balance: allowed imbalance": "the balancer ran and took the imbalance to be small enough",
    "periodic ran and found balance: all pinned": "the balancer ran, met a queue of pinned threads and stopped there",
    "periodic ran and found balance: asymmetric capacity": (
        "the balancer ran and left them on the larger CPU, as it does where capacities differ and none counts as full"
    ),
    "periodic ran and found balance": "the balancer ran and moved nobody; why is not told",
    "periodic did not run: interval too long": (
        "the domain's balance interval is set so long that passes over it were too few to matter"
    ),
    "periodic did not run": "no balancer pass over a domain that joins the two was made in that time",
    "nohz kick missing": "no idle CPU made a pass at all: nobody kicked one",
    "active balance failed": "the balancer's stopper ran on the busy CPU and pushed nobody",
    "domains missing (no common domain)": (
        "no scheduling domain joins the idle CPU and the busy one, so no balancer can carry a thread across"
    ),
    "groups misbuilt": "a domain joins the two, but its groups hide the imbalance (both CPUs lie in one group)",
    "NUMA imbalance allowed": "the idle node runs so few threads that the kernel lets the other one be fuller",
    "cache-hot refusal": "the balancer looked and left them since they had run lately (cache-hot)",
    "not applicable (sched_ext)": "a sched_ext scheduler is in charge, not the balancer",
}
"""Why nobody moved them, by answer."""

ENDED = {
    "newidle": "a CPU that was going idle pulled a thread",
    "periodic": "the periodic balancer moved a thread",
    "nohz": "an idle CPU that balances for others moved a thread",
    "active": "the balancer's stopper pushed a thread",
    "NUMA balance": "NUMA balancing moved a thread",
    "push/pull": "real-time or deadline push or pull moved a thread",
    "affinity change": "the mask of a thread changed",
    "woken elsewhere": "another thread was woken on the idle CPU",
    "started running in place": "the CPU on which they waited took them itself: nobody corrected it",
    "blocked or exited": "they stopped to be runnable there",
    "end of trace": "the recording ended first",
}
"""What ended it, by answer."""

SURE = {
    "proved": "the decision itself was observed",
    "consistent": "the events agree with it, and no decision was observed",
}
"""What the levels of proof mean."""


@cache
def rules() -> dict[str, dict[str, Any]]:
    """What there is to say about each rule, by name (see docs/causes)."""
    return {rule["name"]: rule for rule in json.loads(checker.rules())}


def diagnosis(episode: dict[str, Any], causes: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """The diagnosis as (heading, sentence) pairs.

    `episode` is a row of `episode.sql`, `causes` the rows of `episode_causes.sql`. An unknown answer says so, and what
    evidence is missing.
    """
    idle, busy = cpu_list(episode["idle_cpus"]), cpu_list(episode["overloaded_cpus"])
    many = "CPUs" if len(episode["idle_cpus"]) > 1 else "CPU"
    out = [
        (
            "what",
            f"{many} {idle} stood idle while {counted(episode['threads'], 'thread')} waited on CPU {busy}: "
            f"{core_seconds(episode['total_core_ns'])} lost in {duration(episode['dur_ns'])}.",
        ),
        ("how", _said(episode, "placement", PLACED, "how the threads came to wait there")),
        ("why", _said(episode, "correction", UNCORRECTED, "why nobody moved them")),
        ("ended", _said(episode, "resolution", ENDED, "what ended it")),
    ]
    sure = "; ".join(text for level in SURE if (text := _sure(episode, level)))
    if sure:
        out.append(("how sure", f"{sure}."))
    also = also_fits(episode, causes)
    if also:
        out.append(("also fits", "; ".join(also)))
    out += [("next", text) for text in _next(episode, causes)]
    return out


def _said(episode: dict[str, Any], question: str, texts: dict[str, str], unknown: str) -> str:
    answer, proof = episode[question], episode[f"{question}_proof"]
    if answer == "unknown":
        return f"{unknown[0].upper()}{unknown[1:]} is not known from this trace."
    text = texts.get(answer, answer)
    return f"{text[0].upper()}{text[1:]} ({proof})."


def _sure(episode: dict[str, Any], level: str) -> str:
    """`How, ended: proved (…)`: which answers have that proof; empty when none has."""
    headings = (("how", "placement"), ("why", "correction"), ("ended", "resolution"))
    of = [name for name, q in headings if episode[q] != "unknown" and episode[f"{q}_proof"] == level]
    return f"{', '.join(of)}: {level} ({SURE[level]})" if of else ""


def also_fits(episode: dict[str, Any], causes: list[dict[str, Any]]) -> list[str]:
    """Other answers for the time of the chosen ones, the heaviest of each question: a sentence each.

    Arguments as `diagnosis` takes them.
    """
    found = []
    for question in ("placement", "correction", "resolution"):
        others = [c for c in causes if c["question"] == question and c["answer"] not in ("unknown", episode[question])]
        if others:
            most = max(others, key=lambda c: (c["chosen"], c["weight_ns"]))
            chosen = "for a part of the time" if most["chosen"] else "for want of more evidence"
            found.append(f"{question}: {most['answer']} ({chosen}, {core_seconds(most['weight_ns'])})")
    return found


def _next(episode: dict[str, Any], causes: list[dict[str, Any]]) -> list[str]:
    """What to check or change: of the rule behind the correction (where waste is recurrent, the placement); where that
    is not known, what evidence to record."""
    question = "placement" if episode["grade"] == "recurrent" else "correction"
    for cause in causes:
        if cause["chosen"] and cause["question"] == question and cause["answer"] == episode[question]:
            about = rules().get(cause["rule"] or "")
            if about is not None:
                return [f"{_sentence(about['next'])} See docs/causes/{about['name']}.md."]
    return ["Record passes of the balancer and stacks of moves (`wastenot doctor` says what that needs)."]


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"
