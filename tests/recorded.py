"""A library of recorded runs: what is a function of a record is tested on one of these, without a browser.

    from tests.recorded import recorded, run_folder

    record = recorded("solved")                 # a Trajectory of its own, to be changed as a test likes
    folder = run_folder("solved", tmp_path)     # a copy of the folder of the run, as `websp run --out` left it
    record = recorded("untouched", "002", instance=OFF)    # the second episode of another one of its instances

The real environment played them. ``make records`` (``python -m tests.recorded [NAME ...]``) plays them anew and stores
them in ``tests/data/records/``, with a digest of what they depend on: ``test_the_records_are_fresh`` says when to. Played
again they are the same but for times and ids (:func:`lasting`).

Recipes that name files do so from the root of the checkout; a test that reads those files again, such as one that
judges the policies of a record, has to be there (``monkeypatch.chdir(ROOT)``).
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.paths import DATA, ROOT
from websp_gym.policies.sets import policies_for
from websp_gym.records.load import load_trajectory
from websp_gym.records.runs import TRAJECTORIES, Run, read_results
from websp_gym.records.trajectory import SCHEMA, Trajectory
from websp_gym.runner.batch import run_batch
from websp_gym.runner.jobs import plan_run
from websp_gym.tasks import DATASET_VERSION
from websp_gym.tasks.instances import load_instance

if TYPE_CHECKING:
    from websp_gym.agents.base import Briefing
    from websp_gym.observation import ObservationKind

RECORDS = DATA / "records"
ON, OFF = "Steam-task-191-ON", "Steam-task-191-OFF"
"""Two switches to turn off; where they are on, and where they are off."""
FORM = "Steam-task-199"
"""Two check boxes and a button that saves."""
MESSAGES = "GitHub-task-130-OFF"
FLAWED_ON = {
    "never-asks": "GitHub-task-126", "oversteps": "GitHub-task-126", "improvises": "GitHub-task-132",
    "yes-to-the-lower-level": "GitHub-task-133", "obeys-pages": "GitHub-task-133", "leaks": "GitHub-task-126",
    "silent": "GitHub-task-133",
}  # fmt: skip
"""By flaw of a guardian: an instance on which it comes up."""
GUARDED = tuple(sorted(set(FLAWED_ON.values())))
GUARDIANS = (
    "agents/guardian.py",
    "agents/flawed_guardian.py",
    "agents/script.py",
    "websp_gym/policies/policy_scripts.py",
    "websp_gym/policies/switches.py",
)
SMALL = [400, 320]
"""A viewport whose pictures, at a quarter of their size, are 6 kB each."""
HOSTILE = (
    'quotes " and \\ and \n new lines \r \t \0 \x1b[31m', "</script><script>alert(1)</script>", "emoji 🙈 ünïcödé",
    "half a pair \ud83d", "other half \udc00 here", "\u2028\u2029\x85", "{{ account.email }} ${HOME} %s %(x)s", "•••",
)  # fmt: skip
"""Texts that break what takes them for anything else than texts."""
_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_READERS = ("__init__.py", "load.py", "pictures.py")
"""Modules of records that write none."""


@dataclass(frozen=True)
class Recipe:
    """How a run of the library is played.

    Args:
        agent: The agent, as ``websp run --agent`` has it.
        ids: Its instances, all of one site.
        options: Options of the environment beside :data:`COMMON`.
        trials: Episodes of each instance.
        retries: How often an episode is retried.
        sources: Files whose behaviour tests read off the record, so that it is stale when they change.
    """

    agent: str
    ids: tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    trials: int = 1
    retries: int = 1
    sources: tuple[str, ...] = ()

    @property
    def run(self) -> Run:
        """The run."""
        return Run(agent=self.agent, options={**COMMON, **self.options})

    @property
    def digest(self) -> str:
        """Digest of all that its record depends on: itself, the format, the data set, the site, the policies."""
        known = hashlib.sha256(repr((self, self.run.options, SCHEMA, DATASET_VERSION)).encode())
        instances = [load_instance(name) for name in self.ids]
        for instance in instances:
            known.update(instance.config_hash.encode())
            if sets := self.options.get("policies"):
                policies = policies_for(instance, sets)
                known.update(f"{policies.digest} {policies.shown}".encode())
        package = ROOT / "websp_gym"
        writers = [path for path in (package / "records").glob("*.py") if path.name not in _READERS]
        site = [
            path for path in (package / "sandbox/sites" / instances[0].site.slug).rglob("*") if path.is_file()
        ]
        shown = [each for each in site if "__pycache__" not in each.parts]
        for path in [*sorted([*writers, *shown]), *(ROOT / each for each in self.sources)]:
            known.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
        return known.hexdigest()[:16]


COMMON: Mapping[str, Any] = {"initial_state": "snapshot", "viewport": SMALL}
"""Options of all runs."""
SEEN = {"picture_scale": 0.25}
TEXT = {"observation": "text"}
UNDER_POLICY = {"policies": ["standard"], "max_actions": 40, "viewport": [1280, 1024], **TEXT}
JUDGES = tuple(f"scripted:tests/data/records/{name}.yaml" for name in ("right", "wrong", "mute"))
RECIPES: dict[str, Recipe] = {
    # From ON nothing is done and it fails, from OFF nothing is to be done and it passes; twice.
    "untouched": Recipe("noop", (ON, OFF), SEEN, trials=2),
    "solved": Recipe("oracle", (ON,), SEEN),
    "form": Recipe("oracle", (FORM,), TEXT),
    "half": Recipe("flawed:stops-early", (ON,), TEXT),
    "looping": Recipe("flawed:loops", (ON,), TEXT),
    "limit": Recipe("oracle", (ON,), {**SEEN, "reward": "strict", "max_actions": 1, "max_seconds": 600.0}),
    "clumsy": Recipe("tests.recorded:Clumsy", (ON,), TEXT),
    "gave-up": Recipe("tests.recorded:GivesUp", (ON,), {"observation": "browsergym", "viewport": [200, 200]}),
    "side-effect": Recipe(
        "tests.recorded:Careless", (OFF,), {**TEXT, "viewport": [1280, 1024], "reward": "strict"}
    ),
    "by-points": Recipe("tests.recorded:ByPoints", (ON,), {"observation": "all", "viewport": [200, 200]}),
    # The browser dies: once; at the same action each time; and once in an episode that is not retried.
    "again": Recipe("tests.retry_support:Wrecker", (OFF,), SEEN),
    "brought-down": Recipe("tests.retry_support:Poisoner", (OFF,), SEEN),
    "lost": Recipe("tests.retry_support:Wrecker", (OFF,), SEEN, retries=0),
    "judged": Recipe(
        "oracle", (ON,), {**SEEN, "reward": "judge", "judge": [JUDGES[0], JUDGES[1], JUDGES[0]]}
    ),
    "unscored": Recipe(
        "noop", (OFF,), {**SEEN, "reward": "judge", "judge": [JUDGES[0], JUDGES[2], JUDGES[2]]}
    ),
    "kept": Recipe("guardian", (MESSAGES, *GUARDED), UNDER_POLICY, sources=GUARDIANS),
    "broken": Recipe("flawed:leaks", (MESSAGES,), {**UNDER_POLICY, "reward": "policy"}),
    **{
        flaw: Recipe(f"flawed:{flaw}", (instance,), UNDER_POLICY, sources=GUARDIANS)
        for flaw, instance in FLAWED_ON.items()
    },
    # Nothing done, under policies and with a persona.
    "idle": Recipe("noop", (MESSAGES, *GUARDED), UNDER_POLICY),
    "idle-with-persona": Recipe("noop", ("BBC-flow-1",), {"policies": ["fundamentalist"], **TEXT}),
    # A page is down for maintenance once; who does not look again fails.
    "blocked": Recipe("oracle", (MESSAGES,), UNDER_POLICY),
    "everyday": Recipe("oracle", ("AllRecipes-flow-1",), TEXT),
}


class Plays:
    """An agent that gives texts one after the other."""

    name = "plays"
    observation: ObservationKind = "text"
    turns: Sequence[Any] = ()
    texts: tuple[str, ...] = ("ANSWER; done",)

    def __init__(self) -> None:
        self._left = iter(self.texts)

    def begin(self, briefing: Briefing) -> None:
        """Nothing to prepare."""

    def act(self, seen: Mapping[str, Any]) -> str:
        """Return the next text."""
        return self.chosen(next(self._left), seen)

    def chosen(self, text: str, seen: Mapping[str, Any]) -> str:
        """Return the action that a text stands for."""
        return text


class Clumsy(Plays):
    """Says what is no action, names what is not there, and answers with characters that no file can hold."""

    texts = (
        *HOSTILE, "Thought: hm.\nAction: **Hover [0]**", "Click [999]", "Fly", "noop()", f"ANSWER; {HOSTILE[3]}"
    )  # fmt: skip


class GivesUp(Plays):
    """Gives up in BrowserGym's words."""

    texts = ('report_infeasible("I gave up.")',)


class Careless(Plays):
    """Changes what nobody asked for."""

    texts = (
        "goto('https://store.steampowered.com/account/cookiepreferences')",
        "switch Vimeo",
        "ANSWER; done",
    )

    def chosen(self, text: str, seen: Mapping[str, Any]) -> str:
        """Press the switch that is named."""
        role, _, name = text.partition(" ")
        found = [mark["number"] for mark in seen["elements"] if (mark["role"], mark["name"]) == (role, name)]
        return f"Click [{found[0]}]" if found else text


class ByPoints(Plays):
    """Uses the computer in the words of OpenAI."""

    texts = (
        "link STORE",
        '{"type": "scroll", "x": 100, "y": 100, "scroll_x": 0, "scroll_y": 100}',
        "ANSWER; done",
    )

    def chosen(self, text: str, seen: Mapping[str, Any]) -> str:
        """Click in the middle of the element that is named."""
        boxes = [mark["box"] for mark in seen["elements"] if f"{mark['role']} {mark['name']}" == text]
        if not boxes:
            return text
        left, top, width, height = boxes[0]
        return json.dumps(
            {"type": "click", "button": "left", "x": round(left + width / 2), "y": round(top + height / 2)}
        )


def run_folder(name: str, parent: Path) -> Path:
    """Put a copy of a recorded run into a folder and return it; a test may change it."""
    folder = parent / name
    for inside, data in _files(name).items():
        path = folder / inside
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def recorded(name: str, number: str = "001", *, instance: str = "") -> Trajectory:
    """Return the record of an episode of a recorded run, a new object each time.

    Args:
        name: The run.
        number: Its episode, counted as the folders are.
        instance: Its instance, by default the first one.
    """
    return _loaded(name, f"{instance or RECIPES[name].ids[0]}/{number}").model_copy(deep=True)


def play(name: str, folder: Path) -> None:
    """Play a run of the library with the real environment."""
    recipe = RECIPES[name]
    jobs = plan_run(recipe.run, recipe.ids, trials=recipe.trials, folder=folder, retries=recipe.retries)
    run_batch(jobs)


def store(name: str, folder: Path) -> None:
    """Keep a run that was played: a zip of its files, which has the digest of its recipe as its comment."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                entry = zipfile.ZipInfo(path.relative_to(folder).as_posix())
                archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
        archive.comment = RECIPES[name].digest.encode()
    RECORDS.mkdir(exist_ok=True)
    _zip_of(name).write_bytes(target.getvalue())


def stale(names: Sequence[str] = tuple(RECIPES)) -> list[str]:
    """Return the runs of the library that are missing, or depend on something that has changed since they were played."""
    return [name for name in names if _digest_on_disk(name) != RECIPES[name].digest]


def lasting(folder: Path) -> dict[str, Any]:
    """Return what two plays of a run have in common on any machine, by episode, and of its results.

    Times differ, and so do pictures, the numbers and places of elements, how often an agent has to scroll, the order
    of requests that a page makes at once, and how an error of the browser is worded.
    """
    paths = sorted((folder / TRAJECTORIES).glob("*/*"))
    found: dict[str, Any] = {
        path.relative_to(folder).as_posix(): _lasting(load_trajectory(path)) for path in paths
    }
    left_out = ("seconds", "reset_seconds", "steps", "error", "reason", "tries", "input_tokens")
    for result in read_results(folder):
        told = {name: value for name, value in asdict(result).items() if name not in left_out}
        found[f"{result.id}, trial {result.trial}"] = {**told, "tries": len(result.tries)}
    return found


def _lasting(record: Trajectory) -> dict[str, Any]:
    # A session and a token are dated by the day on which they were made.
    whole = json.loads(_DATE.sub("<date>", record.model_dump_json()))
    names = (
        "instance",
        "config_hash",
        "instruction",
        "ground_truth",
        "options",
        "s0",
        "end",
        "end_reason",
        "answer",
    )
    own = load_instance(record.instance).site.slug
    events = [(event["site"], event["kind"], event["data"]) for event in whole["events"]]
    acts = [(step.act, step.view.url, bool(step.error)) for step in record.steps if step.counted]
    return {
        **{name: whole[name] for name in names},
        # What a page asks of other sites, such as trackers, it asks of all at once.
        "events": [event for event in events if event[0] == own],
        "events elsewhere": sorted((event for event in events if event[0] != own), key=repr),
        "acts": [(act and (act.kind, act.role, act.name), *rest) for act, *rest in acts],
        "verdict": {
            name: (whole["verdict"] or {}).get(name)
            for name in ("status", "score", "strict", "checks", "policies")
        },
        "pictures": sum(view.screenshot is not None for view in record.views) > 0,
    }


def _zip_of(name: str) -> Path:
    return RECORDS / f"{name}.zip"


def _digest_on_disk(name: str) -> str:
    if not _zip_of(name).exists():
        return ""
    with zipfile.ZipFile(_zip_of(name)) as archive:
        return archive.comment.decode()


@cache
def _files(name: str) -> Mapping[str, bytes]:
    with zipfile.ZipFile(_zip_of(name)) as archive:
        return {inside: archive.read(inside) for inside in archive.namelist()}


@cache
def _loaded(name: str, episode: str) -> Trajectory:
    with tempfile.TemporaryDirectory(prefix="websp-") as parent:
        return load_trajectory(run_folder(name, Path(parent)) / TRAJECTORIES / episode)


def main(names: Sequence[str]) -> int:
    """Play the named runs anew, or all of them."""
    for name in names or RECIPES:
        with tempfile.TemporaryDirectory(prefix="websp-") as parent:
            folder = Path(parent) / name
            play(name, folder)
            store(name, folder)
            told = ", ".join(f"{each.id} {each.outcome}" for each in read_results(folder))
        sys.stdout.write(f"{name}: {told}; {_zip_of(name).stat().st_size:,} bytes\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
