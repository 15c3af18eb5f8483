"""Taking the facts of each step when they happen, and passing on what the agent says to the user."""

from __future__ import annotations

import contextlib
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from playwright.sync_api import Error as PlaywrightError

from websp_gym.actions.element_facts import element_of_call
from websp_gym.actions.question import read_question
from websp_gym.browser.isolated import worlds_of
from websp_gym.errors import ActionError
from websp_gym.policies.carried import carries
from websp_gym.policies.rules.values import OnlyKnown
from websp_gym.policies.user.base import MOST_QUESTIONS
from websp_gym.records.step_facts import ActionFacts, Source, StepFacts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from websp_gym.actions.calls import Call
    from websp_gym.actions.grammar import Action
    from websp_gym.browser.tabs import Tabs
    from websp_gym.observation.marks import Marks
    from websp_gym.policies.sets import Policies
    from websp_gym.policies.user.base import User
    from websp_gym.world import WorldEpisode

_TEXT = "function () { return document.body ? this.kit.cut(document.body.innerText, 200000) : ''; }"
_TYPING = {"fill": 1, "keyboard_type": 0, "keyboard_insert_text": 0, "handle_dialog": 1}
"""The calls that type a text, with the position of the text among their arguments."""
_CHOOSING = ("select_option",)
_OPENING = ("goto",)
_KEYS = ("press", "keyboard_press")


class PolicyWatch:
    """What is watched in an episode with policies.

    Args:
        policies: The policies.
        user: The user who may be asked.
        episode: The episode in the world. On the live web, which has no server of ours, no step has the number of an
            event.
        tabs: The open tabs.
        instruction: The instruction that the agent has.
        site: Slug of the site of the task.
    """

    def __init__(
        self,
        policies: Policies,
        user: User,
        episode: WorldEpisode,
        tabs: Tabs,
        instruction: str,
        site: str,
    ) -> None:
        self.reply = ""
        """What the user replied in the last step; empty if nothing was asked."""
        self._user = user
        self._server = episode.server
        self._account = episode.account
        self._kept_secret = episode.secrets
        self._tabs = tabs
        self._site = site
        self._asked = 0
        self._facts = StepFacts()
        rules = [policy.rule for policy in policies.policies]
        self._secrets = set(policies.secrets)
        self._known: dict[Source, list[str]] = {"task": [instruction], "user": [], "page": []}
        self._last_seq: Callable[[], int | None] | None = None
        self._shown: object = None
        self._reads_pages = any(isinstance(rule, OnlyKnown) for rule in rules)

    def begin_step(self) -> None:
        """Start a step."""
        self._facts = StepFacts()
        self.reply = ""
        if self._reads_pages and self._shown is None:
            self._known["page"].extend(self._texts_of_page())
            self._shown = ()

    def action(self, action: Action, marks: Marks) -> Marks:
        """Take the facts of an action of the grammar; return the marks to perform it with, which note its element."""
        facts = ActionFacts(kind=action.kind, before=self._tabs.current.url, value=action.text or "")
        if action.number is not None and 0 <= action.number < len(marks):
            mark = marks[action.number]
            facts = facts.model_copy(update={"role": mark.role, "name": mark.name})
        if action.kind == "Type":
            facts = self._typed(facts)
        self._facts.actions.append(facts)
        return replace(marks, noting=self._meets)

    def call(self, call: Call, met: Mapping[str, str] | None = None) -> None:
        """Take the facts of a call of BrowserGym that is about to be made.

        Args:
            call: The call.
            met: Role, name, form and frame of the element that it meets; ``None`` to look for it.
        """
        name, positional, named = call
        values = [*positional, *named.values()]
        met = met if met is not None else element_of_call(call, self._tabs) or {}
        facts = ActionFacts(kind=name, before=self._tabs.current.url, **_kept(met))
        if name in _TYPING and len(values) > _TYPING[name]:
            facts = self._typed(facts.model_copy(update={"value": str(values[_TYPING[name]] or "")}))
        elif name in (*_CHOOSING, *_OPENING, *_KEYS) and values:
            facts = facts.model_copy(update={"value": str(values[-1])})
            if name in _OPENING:
                self._let_out(facts.value, "address")
        self._facts.actions.append(facts)

    def ask(self, text: str) -> None:
        """Put a question to the user. Raise ActionError for an empty one, wrong JSON, and more than five."""
        if not text.strip():
            raise ActionError(
                "a question needs words, for example: ASK; may I delete the token?", action="ASK"
            )
        read_question(text)
        if self._asked == MOST_QUESTIONS:
            raise ActionError(
                f"the user answers {MOST_QUESTIONS} questions at most; nothing was asked", action="ASK"
            )
        self._asked += 1
        self._let_out(text, "question")
        state = None
        if self._server is not None and self.begun() is not None:
            state = self._server.state().sites.get(self._site)
        self._facts.question = self._user.reply(text, state)
        self.reply = self._facts.question.reply
        self._known["user"].append(self.reply)

    def report(self, text: str) -> None:
        """Tell the user of an obstacle. Raise ActionError for an empty text."""
        if not text.strip():
            raise ActionError(
                "a report needs words, for example: REPORT; the changes were not saved", action="REPORT"
            )
        self._let_out(text, "report")
        self._facts.report = f"{self._facts.report}\n{text}".strip()

    def answered(self, text: str) -> None:
        """Note what the agent answered at the end."""
        self._let_out(text, "answer")

    def begun(self) -> int | None:
        """Return the number of the last event before the first action; None where nobody knows it."""
        return None if self._server is None else self._server.ask_last_seq()()

    def at_rest(self) -> None:
        """Begin to ask the world for its last event, as the page is at rest. Observing takes longer than that."""
        self._last_seq = None if self._server is None else self._server.ask_last_seq()

    def end_step(self, error: str, marks: Marks) -> StepFacts:
        """Return the facts of the step, after the observation.

        Args:
            error: Why its action failed; empty if it did not.
            marks: The marks of the observation.
        """
        facts, after = self._facts, self._tabs.current.url
        for number, action in enumerate(facts.actions):
            is_last = number == len(facts.actions) - 1
            more = {
                "after": after,
                "dialogs": list(self._tabs.notices.texts),
                "failed": bool(error) and is_last,
            }
            facts.actions[number] = action.model_copy(update=more if is_last else {})
        if self._last_seq is not None:
            facts.seq = self._last_seq()
        if self._reads_pages:
            # What a page says is read again where it shows other elements, and before something is typed.
            shown = (after, frozenset((mark.role, mark.name, mark.text) for mark in marks.marks))
            if shown != self._shown:
                self._known["page"].extend(self._texts_of_page())
            self._shown = shown
        return facts

    def cut_off(self) -> StepFacts:
        """Return the facts of a step whose page stopped responding: what was done until then."""
        self._facts.seq = self.begun()
        return self._facts

    def _typed(self, facts: ActionFacts) -> ActionFacts:
        self._let_out(facts.value, "typed text")
        if self._reads_pages and not any(_is_in(facts.value, texts) for texts in self._known.values()):
            self._known["page"].extend(self._texts_of_page())
        source: Source = next(
            (source for source, texts in self._known.items() if _is_in(facts.value, texts)), ""
        )
        return facts.model_copy(update={"typed": bool(facts.value), "source": source})

    def _let_out(self, text: str, channel: str) -> None:
        for name in sorted(self._secrets - self._facts.carried.keys()):
            if any(carries(text, value) for value in self._values(name)):
                self._facts.carried[name] = channel

    def _values(self, name: str) -> Iterator[str]:
        if name != "token":
            yield self._account[name]
            return
        if self._server is None:
            yield from self._kept_secret  # which of them are tokens, only the site knows
            return
        state = self._server.state().sites.get(self._site)
        tokens = [str(item["id"]) for item in state.collections.get("tokens", ())] if state else []
        yield from self._server.token_texts(self._site, tokens)

    def _meets(self, element: dict[str, str]) -> None:
        self._facts.actions[-1] = self._facts.actions[-1].model_copy(update=_kept(element))

    def _texts_of_page(self) -> Iterator[str]:
        with contextlib.suppress(PlaywrightError):
            worlds = worlds_of(self._tabs.current)
            for frame in (worlds.main, *worlds.children()):
                yield str(frame.run(_TEXT))


def _is_in(value: str, texts: list[str]) -> bool:
    """Whether one of the texts has a value, as whole words; case and spaces make no difference.

    A list of values is there if each of them is.
    """
    plain = [" ".join(text.casefold().split()) for text in texts]
    parts = [" ".join(part.casefold().split()) for part in re.split(r"[,;\n]", value)]
    return all(
        any(re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", text) for text in plain)
        for wanted in parts
        if wanted
    )


def _kept(element: Mapping[str, str]) -> dict[str, str]:
    """Return the facts of an element that a record has; the harm guard reads more."""
    return {name: element[name] for name in ("role", "name", "form", "frame") if name in element}
