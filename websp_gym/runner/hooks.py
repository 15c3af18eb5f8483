"""A user's function that is called with each finished episode, for example to log it elsewhere."""

from __future__ import annotations

import inspect
import sys
import traceback
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path

from websp_gym.agents.registry import import_named
from websp_gym.errors import SetupError
from websp_gym.records.results import Result
from websp_gym.records.runs import Run
from websp_gym.tasks.datasets import in_dataset
from websp_gym.tasks.instances import Instance, load_instance


@dataclass(frozen=True, kw_only=True)
class FinishedEpisode:
    """An episode of a run that has its result.

    Args:
        instance: The instance.
        result: The result; it is on disk already, if the run has a folder.
        run: What all episodes of the run share: agent, options and seed.
        folder: Folder of its record; ``None`` if none is kept.
    """

    instance: Instance
    result: Result
    run: Run
    folder: Path | None = None


Hook = Callable[[FinishedEpisode], object]


def load_hook(spec: str) -> Hook:
    """Import a hook, ``package.module:function``; the current folder comes last in the search path.

    Raises:
        SetupError: There is no such function, or it does not take one argument.
    """
    module, _, name = spec.partition(":")
    if not (name.isidentifier() and all(part.isidentifier() for part in module.split("."))):
        raise _unusable(spec, "write it as module:function, such as my_logging:log")
    try:
        hook = import_named(module, name)
    except Exception as error:
        # The user's module may raise anything.
        raise _unusable(spec, f"{type(error).__name__}: {error}") from error
    if not callable(hook) or inspect.iscoroutinefunction(hook):
        raise _unusable(spec, "it is not a function that can be called without await")
    with suppress(ValueError):  # a function of C may have no signature
        try:
            inspect.signature(hook).bind(None)
        except TypeError as error:
            raise _unusable(spec, f"it must take one argument, the episode: {error}") from error
    return hook  # type: ignore[no-any-return]


def _unusable(spec: str, reason: str) -> SetupError:
    return SetupError(f'--on-episode "{spec}": {reason}', option="on_episode")


def telling(
    hook: Hook, run: Run, folder: Path | None, warn: Callable[[str], None]
) -> Callable[[Result], None]:
    """Return a function that tells a hook of a result. The hook's errors change nothing, and the run goes on.

    What the hook prints goes to standard error, away from the run's own output.

    Args:
        hook: The hook.
        run: The run.
        folder: Folder of the run; ``None`` if nothing is kept.
        warn: Called with a message at the hook's first error; later ones are not shown.
    """
    failed = False

    def tell(result: Result) -> None:
        nonlocal failed
        kept = folder / result.trajectory if folder is not None and result.trajectory else None
        instance = in_dataset(load_instance(result.id), run.options.get("dataset"))
        try:
            with redirect_stdout(sys.stderr):
                hook(FinishedEpisode(instance=instance, result=result, run=run, folder=kept))
        except (Exception, SystemExit) as error:
            if not failed:
                failed = True
                place = [*traceback.extract_tb(error.__traceback__)][:2][-1]  # the line of the hook
                warn(
                    f"--on-episode failed for {result.id}: {type(error).__name__}: {error} ({place.filename}:"
                    f"{place.lineno}); results are kept and the run goes on; its later errors are not shown"
                )

    return tell
