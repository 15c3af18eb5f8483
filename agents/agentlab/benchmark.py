"""The instances as an AgentLab benchmark, its subsets and its train/test splits."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase
from typing import Any

import pandas as pd
from browsergym.experiments.benchmark import Benchmark, HighLevelActionSetArgs

import websp_gym
from websp_gym.agents.agentlab.env_args import WebspEnvArgs
from websp_gym.errors import SetupError, UnknownInstanceError, nearest
from websp_gym.tasks.instances import Instance, load_instance
from websp_gym.tasks.selection import select_instances
from websp_gym.tasks.splits import held_out

NAME = "websp"
ENTERPRISE = "websp_enterprise"
BETWEEN = ", "


@dataclass
class WebspBenchmark(Benchmark):  # type: ignore[misc]
    """Instances with the options of their environments; its subsets are of this class too.

    ``task_metadata`` has the columns ``task_name``, ``site``, ``website_category``, ``category``, ``task``, ``state``
    (``ON``, ``OFF`` or empty), ``elements`` and ``browsergym_split`` (by task, about 30 % test).
    """

    env_args_list: list[WebspEnvArgs]

    def get_version(self) -> str:
        """Return the version that AgentLab stores for reproducibility."""
        return websp_gym.__version__

    def prepare_backends(self) -> None:
        """Start one sandbox here; workers of joblib on this machine use it, and those of Ray start their own."""
        from websp_gym.world import start_shared

        super().prepare_backends()
        start_shared(args.options().get("world", "sandbox") for args in self.env_args_list)

    def subset(
        self,
        *,
        ids: str | Iterable[str] = "*",
        site: str | Iterable[str] = "*",
        category: str | Iterable[str] = "*",
        element: str | Iterable[str] = "*",
        state: str | Iterable[str] = "*",
    ) -> WebspBenchmark:
        """Return the instances that meet all conditions.

        Each condition is one glob or several, of which one must match; case is ignored.

        Args:
            ids: Instance ids, such as ``Steam-*``.
            site: Names of sites.
            category: Task categories, such as ``*Cookie*``.
            element: UI element types; the solution must use at least one.
            state: ``ON`` or ``OFF``; instances with only one state match neither.

        Returns:
            The subset.

        Raises:
            SetupError: No instance matches.
        """
        said = {"id": ids, "site": site, "category": category, "elements": element, "state": state}
        asked = {name: [globs] if isinstance(globs, str) else list(globs) for name, globs in said.items()}
        chosen = [row["task_name"] for row in self._rows() if _fits(row, asked)]
        words = [f"{name}={'|'.join(globs)}" for name, globs in asked.items() if globs != ["*"]]
        if not chosen:
            raise UnknownInstanceError(f"no instance has {', '.join(words)}{self._hint(asked)}")
        return self._part(chosen, f"{self.name}[{', '.join(words)}]" if words else self.name)

    def split(self, by: str, *, share: float = 0.3, seed: int = 0) -> tuple[WebspBenchmark, WebspBenchmark]:
        """Divide the benchmark into a training set and a test set.

        Args:
            by: ``site``, ``task`` or ``state``: see :func:`websp_gym.tasks.splits.held_out`.
            share: Approximate share of the test set.
            seed: Seed of the split.

        Returns:
            The training set and the test set.

        Raises:
            SetupError: There is no such split, or one of the sets would be empty.
        """
        rows = self._rows()
        test = held_out(rows, by, share=share, seed=seed)
        train = [row["task_name"] for row in rows if row["task_name"] not in test]
        if not test or not train:
            raise SetupError(f"these {len(rows)} instances cannot be divided by {by}", option="by")
        return self._part(train, f"{self.name}_{by}_train"), self._part(test, f"{self.name}_{by}_test")

    def subset_from_regexp(self, column: str, regexp: str) -> WebspBenchmark:
        """Do the same as AgentLab's method, but return a WebspBenchmark."""
        return self._like(super().subset_from_regexp(column, regexp))

    def subset_from_list(
        self, task_list: list[str], benchmark_name_suffix: str | None = "custom", split: str | None = None
    ) -> WebspBenchmark:
        """Do the same as AgentLab's method, but return a WebspBenchmark."""
        return self._like(super().subset_from_list(task_list, benchmark_name_suffix, split))

    def subset_from_task_ratio(self, ratio: float, seed: int) -> WebspBenchmark:
        """Do the same as AgentLab's method, but with the same result in every process."""
        names = sorted({args.task_name for args in self.env_args_list})
        random.Random(seed).shuffle(names)
        return self._part(names[: int(len(names) * ratio)], f"{self.name}[ratio={ratio}, seed={seed}]")

    def _rows(self) -> list[dict[str, str]]:
        here = {args.task_name for args in self.env_args_list}
        rows: list[dict[str, str]] = self.task_metadata.to_dict(orient="records")
        return [row for row in rows if row["task_name"] in here]

    def _hint(self, asked: dict[str, list[str]]) -> str:
        for name, globs in asked.items():
            known = sorted({word for row in self._rows() for word in _words(row, name)})
            for glob in globs:
                if not any(_matches(word, glob) for word in known):
                    return nearest(glob, known)
        return ""

    def _part(self, names: Iterable[str], name: str) -> WebspBenchmark:
        wanted = set(names)
        facts = {field.name: getattr(self, field.name) for field in fields(self)}
        facts["env_args_list"] = [args for args in self.env_args_list if args.task_name in wanted]
        table = self.task_metadata
        facts["task_metadata"] = table[table["task_name"].isin(wanted)].reset_index(drop=True)
        return type(self)(**facts | {"name": name})

    def _like(self, part: Any) -> WebspBenchmark:
        return self._part({args.task_name for args in part.env_args_list}, part.name)


def make_benchmark(
    ids: str | Sequence[str] = "*",
    *,
    trials: int | None = None,
    n_repeats: int | None = None,
    seed: int = 0,
    name: str = NAME,
    **options: Any,
) -> WebspBenchmark:
    """Return a benchmark of the instances; ``make_study(agents, "websp")`` calls this without arguments.

    Args:
        ids: Globs of ids.
        trials: Number of trials of each instance; 1 by default.
        n_repeats: Another name for `trials`, as in BrowserGym's benchmarks.
        seed: Seed of the first trial; further trials count up from it.
        name: Name in AgentLab.
        **options: Fields of :class:`WebspEnvArgs`.

    Returns:
        The benchmark.

    Raises:
        SetupError: A glob matches nothing, there is no such option, or `trials` and `n_repeats` differ.
    """
    if None not in (trials, n_repeats) and trials != n_repeats:
        raise SetupError(f"trials={trials} and n_repeats={n_repeats} mean the same; give one of them")
    repeats = next((number for number in (trials, n_repeats) if number is not None), 1)
    known = [field.name for field in fields(WebspEnvArgs) if field.name not in ("task_name", "task_seed")]
    for option in options:
        if option not in known:
            raise SetupError(f'no option "{option}"{nearest(option, known)} (options: {", ".join(known)})')
    instances = [load_instance(one) for one in select_instances([ids] if isinstance(ids, str) else ids)]
    rows = [_row(one) for one in instances]
    test = held_out(rows, "task")
    for row in rows:
        row["browsergym_split"] = "test" if row["task_name"] in test else "train"
    return WebspBenchmark(
        name=name,
        high_level_action_set_args=HighLevelActionSetArgs(
            subsets=("chat", "infeas", "bid", "nav", "tab"),
            strict=False,
            retry_with_force=True,
            demo_mode="off",
        ),
        is_multi_tab=True,
        supports_parallel_seeds=True,
        env_args_list=[
            WebspEnvArgs(task_name=row["task_name"], task_seed=seed + trial, **options)
            for trial in range(repeats)
            for row in rows
        ],
        backends=[],
        task_metadata=pd.DataFrame(rows),
    )


def make_enterprise_benchmark(ids: str | Sequence[str] = "*-stwab-*", **options: Any) -> WebspBenchmark:
    """Return a benchmark of the tasks of enterprise applications.

    ``make_study(agents, "websp_enterprise")`` calls this without arguments; ``policies="hard"`` adds policies.

    Args:
        ids: Globs of ids.
        **options: As for :func:`make_benchmark`.

    Returns:
        The benchmark.

    Raises:
        SetupError: As for :func:`make_benchmark`.
    """
    return make_benchmark(ids, **{"name": ENTERPRISE, **options})


def _row(instance: Instance) -> dict[str, str]:
    return {
        "task_name": f"{NAME}.{instance.id}",
        "site": instance.site.site,
        "website_category": instance.site.website_category,
        "category": instance.task.category,
        "task": instance.task.id,
        "state": instance.config.state or "",
        "elements": BETWEEN.join(instance.config.element_types),
        "depends_on": "",
    }


def _fits(row: dict[str, str], asked: dict[str, list[str]]) -> bool:
    return all(
        any(_matches(word, glob) for word in _words(row, name) for glob in globs)
        for name, globs in asked.items()
    )


def _words(row: dict[str, str], name: str) -> list[str]:
    if name == "id":
        return [row["task_name"].removeprefix(f"{NAME}.")]
    return row[name].split(BETWEEN) if name == "elements" else [row[name]]


def _matches(word: str, glob: str) -> bool:
    return fnmatchcase(word.casefold(), glob.casefold())
