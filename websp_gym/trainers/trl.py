"""TRL: environments with the actions as tools for ``GRPOTrainer``, their reward, and data sets for GRPO and SFT.

    with environments(max_actions=12) as factory:
        trainer = GRPOTrainer(
            model=model,
            processing_class=tokenizer,
            reward_funcs=make_reward(tokenizer.eos_token_id),
            train_dataset=make_dataset(choose_episodes(split="train")),
            environment_factory=factory,
            args=GRPOConfig(max_completion_length=8_000),
        )
        trainer.train()

TRL makes as many environments as one of its processes plays rollouts at once (``per_device_train_batch_size`` times
``steps_per_generation``, or ``per_device_eval_batch_size``). It resets all of them, calls their tools one after the
other, and uses the same ones for the next batch. Each has a process and a browser of its own, of about 560 MB.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from websp_gym.actions import Action, format_action, parse_action
from websp_gym.actions.grammar import Direction, thought_of
from websp_gym.actions.tools import TOOL_NAMES, arguments_of
from websp_gym.errors import ActionError, SetupError, missing_extra
from websp_gym.rollouts.page import SITUATION, Page
from websp_gym.rollouts.remote import RemoteEnv
from websp_gym.rollouts.transcript import Transcript

try:
    from datasets import Dataset
    from transformers.utils import get_json_schema
except ModuleNotFoundError as error:
    raise missing_extra("training with TRL needs its packages", "trl") from error

Message = Mapping[str, Any]
Reward = Callable[..., list[float | None]]

SYSTEM = f"""\
{SITUATION}

Act with the tools, one call in each reply. Scrolling and waiting do not count against the actions you have left. \
Call answer when all parts of the task are done.\
"""
"""The system message of :func:`make_dataset` and :func:`to_sft`. The chat template adds the tools."""
_OVER = "The episode is over."


class WebspTools:
    """An environment for TRL. Its public methods, except ``reset``, are the tools of the policy.

    A tool returns the page after its action. If the episode is over, it does nothing and says so.

    Args:
        env: Where the episodes are played.
    """

    def __init__(self, env: RemoteEnv) -> None:
        self._env = env
        self.page: Page | None = None
        """The current page, for reward functions of your own; ``None`` before the first reset."""

    def reset(self, instance: str, seed: int = 0, **_: Any) -> str:
        """Start an episode and return its first page, which TRL appends to the prompt.

        Args:
            instance: Id of the instance, a column of the data set.
            seed: Seed of the episode, a column of the data set.
            **_: The other columns.

        Raises:
            SetupError: As for :meth:`RemoteEnv.reset <websp_gym.rollouts.remote.RemoteEnv.reset>`; it ends the
                training. A failure of the world does not: the rollout is unscored.
        """
        self.page = self._env.reset(instance, seed)
        return _shown(self.page)

    def click(self, element: int) -> str:
        """Click an element. A link may open a new tab, which then becomes the current one.

        Args:
            element: Number of the element.
        """
        return self._act(Action("Click", number=element))

    def hover(self, element: int) -> str:
        """Move the pointer over an element without clicking, for menus and hints that open that way.

        Args:
            element: Number of the element.
        """
        return self._act(Action("Hover", number=element))

    def type_text(self, element: int, text: str) -> str:
        """Replace the content of a field. Enter is not pressed.

        Args:
            element: Number of the field.
            text: The new content. An empty text clears the field.
        """
        return self._act(Action("Type", number=element, text=str(text)))

    def scroll(self, direction: Direction, element: int | None = None) -> str:
        """Scroll the window, or the box around an element, by two thirds of its size.

        Args:
            direction: Where to scroll.
            element: Number of the element. Leave it out to scroll the window.
        """
        return self._act(Action("Scroll", number=element, direction=direction))

    def scroll_to_end(self) -> str:
        """Scroll to the bottom of the page."""
        return self._act(Action("Scroll_to_end"))

    def scroll_within_popup(self, direction: Direction) -> str:
        """Scroll inside the topmost dialog or popup.

        Args:
            direction: Where to scroll.
        """
        return self._act(Action("Scroll_within_popup", direction=direction))

    def switch_tab(self, url: str) -> str:
        """Go to another open tab.

        Args:
            url: Address of the tab.
        """
        return self._act(Action("Switch_tab", text=url))

    def wait(self) -> str:
        """Give the page up to five seconds to finish what it is doing."""
        return self._act(Action("Wait"))

    def go_back(self) -> str:
        """Go back to the previous page."""
        return self._act(Action("GoBack"))

    def google(self) -> str:
        """Go to the Google search page."""
        return self._act(Action("Google"))

    def answer(self, text: str) -> str:
        """End the task and report. Use it once everything is done.

        Args:
            text: A short report.
        """
        # On one line: a line that begins with "Action:" would be read as an action.
        return self._act(Action("ANSWER", text=" ".join(str(text).split())))

    def _act(self, action: Action) -> str:
        if self.page is None or self.page.done:
            return _OVER
        self.page = self._env.step(format_action(action))
        return _shown(self.page)


@contextmanager
def environments(**options: Any) -> Iterator[Callable[[], WebspTools]]:
    """Lend a factory for ``environment_factory``, and end its processes at the end of the ``with`` block.

    Every environment that TRL asks for gets a process of its own, which starts in the background and serves until
    the block ends, so a batch cannot wait for itself.

    Args:
        **options: ``timeout``, ``retries`` and options of ``gym.make``, as for
            :class:`~websp_gym.rollouts.remote.RemoteEnv`. There are no pictures.

    Raises:
        SetupError: An option is wrong; the factory raises it.
    """
    if "pictures" in options:
        raise SetupError("the tools return pages as text and take no pictures", option="pictures")
    with ExitStack() as processes:
        yield lambda: WebspTools(processes.enter_context(RemoteEnv(**options)))


def make_reward(eos_token_id: int | Collection[int]) -> Reward:
    """Return the reward function: the reward of the episode, ``None`` for a rollout without a score.

    TRL leaves a rollout with ``None`` out of the group's mean and gives it no advantage.

    A rollout that ends with a plain reply, without a tool call, has answered, as models do that were not trained to
    call ``answer``: the reply is carried out as ANSWER. A rollout that was cut (by ``max_completion_length``,
    ``max_tool_calling_iterations`` or the length of the model's context) has not answered and gets 0.0. It is not
    unscored: nothing failed but the policy, which had not finished within its limits, as with ``max_actions``. Were
    it left out, long rollouts would cost nothing; were it an answer, reaching the limit would be rewarded wherever
    S0 is the goal. To leave cut rollouts out of the loss nevertheless, use ``mask_truncated_completions=True``.

    Args:
        eos_token_id: Id of the token, or ids of the tokens, that end a reply: ``tokenizer.eos_token_id``. A plain
            reply that ends otherwise was cut.

    Returns:
        A function for ``reward_funcs``, for environments made by :func:`environments`.
    """
    ends = {eos_token_id} if isinstance(eos_token_id, int) else frozenset(eos_token_id)

    def reward(
        completions: Sequence[Sequence[Message]],
        completion_ids: Sequence[Sequence[int]],
        environments: Sequence[WebspTools],
        **_: Any,
    ) -> list[float | None]:
        for messages, ids, environment in zip(completions, completion_ids, environments, strict=True):
            last = messages[-1]
            if last["role"] == "assistant" and not last.get("tool_calls") and ids[-1] in ends:
                environment.answer(last["content"])
        # The reward of a page is 0.0 until the episode is over.
        return [environment.page.reward if environment.page else None for environment in environments]

    return reward


def make_dataset(episodes: Iterable[tuple[str, int]]) -> Dataset:
    """Return a data set for ``GRPOTrainer``.

    TRL plays a group of rollouts from each row (``num_generations``), so all of them start from the same S0.

    Args:
        episodes: Instance and seed of each row, for example of :func:`~websp_gym.rollouts.episodes.choose_episodes`.

    Returns:
        Columns ``prompt`` (system message, and user message to which the first page is appended), ``instance``
        and ``seed``.
    """
    return Dataset.from_list(
        [{"prompt": _prompt(), "instance": name, "seed": seed} for name, seed in episodes]
    )


def to_sft(transcripts: Iterable[Transcript]) -> Dataset:
    """Return rollouts as a data set for ``SFTTrainer``, in the messages of a GRPO rollout.

    Filter them first: ``[one for one in played if one.reward == 1.0]``. Train with ``assistant_only_loss=True``.

    Args:
        transcripts: Rollouts, for example of ``agent_policy("oracle")``. A thought in a reply becomes the text
            beside the call.

    Returns:
        Columns ``messages`` and ``tools`` (their JSON schemas).

    Raises:
        ActionError: A reply is not an action.
    """
    tools = json.dumps([get_json_schema(tool) for tool in _tools()])
    rows = [{"messages": _conversation(one), "tools": tools} for one in transcripts]
    return Dataset.from_list(rows, on_mixed_types="use_json")


def _shown(page: Page) -> str:
    return _OVER if page.done else page.text


def _prompt(first_page: str = "") -> list[Message]:
    return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": first_page}]


def _conversation(played: Transcript) -> list[Message]:
    turns = _prompt(_shown(played.pages[0]))
    for reply, page in zip(played.replies, played.pages[1:], strict=True):
        action = parse_action(reply)
        name = TOOL_NAMES.get(action.kind, "")
        if not hasattr(WebspTools, name):
            raise ActionError(f"no tool does {action.kind}", action=reply[:200])
        call = {"name": name, "arguments": arguments_of(action)}
        turns += [
            {
                "role": "assistant",
                "content": thought_of(reply),
                "tool_calls": [{"type": "function", "function": call}],
            },
            {"role": "tool", "name": call["name"], "content": _shown(page)},
        ]
        if action.kind == "ANSWER":
            # TRL asks for one more reply after the last tool.
            turns.append({"role": "assistant", "content": action.text})
    return turns


def _tools() -> list[Callable[..., str]]:
    """Return the tools as TRL finds them, in its order."""
    blank = WebspTools.__new__(WebspTools)  # without an environment: only signatures and docstrings are read
    found = inspect.getmembers(blank, inspect.ismethod)
    return [method for name, method in found if name != "reset" and not name.startswith("_")]
