"""Prove that a site's login trace signs in: from a signed-out browser, and after the session has expired.

An agent whose session expires in the middle of a task can sign in again and finish.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error as PlaywrightError

from websp_gym.agents import Briefing
from websp_gym.agents.oracle import OracleAgent
from websp_gym.authoring.findings import Finding, judged
from websp_gym.browser.settle import settle
from websp_gym.env import WebspEnv
from websp_gym.env.play import play
from websp_gym.errors import WebspError
from websp_gym.replay import replay
from websp_gym.replay.library import read_trace
from websp_gym.sandbox.schema.site import SESSION_ENDED
from websp_gym.world.sandbox import SandboxEpisode
from websp_gym.world.side_effects import side_effects
from websp_gym.world.state import SESSIONS

if TYPE_CHECKING:
    from websp_gym.browser.tabs import Tabs
    from websp_gym.tasks.instances import Instance
    from websp_gym.world.base import WorldEpisode


def shown_to_sign_in(instances: Iterable[Instance]) -> list[Instance]:
    """Return those of a site's instances with which its login trace is proved.

    These are the first one, and all whose goals name sessions: a new sign-in opens another one.
    """
    with_login = [each for each in instances if each.site.login_trace]
    return [
        each
        for number, each in enumerate(with_login)
        if number == 0 or any(items.collection == SESSIONS for _, items in each.task.goal.items())
    ]


def prove_sign_in(instance: Instance) -> Iterator[Finding]:
    """Reach S0 with ``login="replay"``, let the session expire, and sign in once more by the same trace.

    Args:
        instance: An instance of a site with a login trace.

    Yields:
        One finding.
    """
    env = WebspEnv(instance, observation="text", reward="state", initial_state="replay", login="replay")
    try:
        env.reset()
        assert env.task is not None
        assert env.task.tabs is not None
        problems = list(_problems(instance, env.task.world_episode, env.task.tabs))
        problems += _unfinished(env)
        problems += _unreported(env)
    except (WebspError, PlaywrightError) as error:
        problems = [str(error)]
    finally:
        env.close()
    yield judged(
        "sign-in",
        instance.id,
        problems,
        "the login trace signs in, and again after the session expired; pages tell; then the task can be finished",
    )


def _unfinished(env: WebspEnv) -> Iterator[str]:
    """Yield why the oracle, signed in again, does not finish the task."""
    oracle, first = _oracle(env), [f"goto('{env.instance.site.start_url}')"]
    *_, last = play(lambda seen: first.pop() if first else oracle.act(seen), {}, env.step)
    verdict = last.info["verdict"]
    if verdict["score"] != 1.0:
        yield f"after the session expired and a new sign-in, {env.instance.id} is not finished: {verdict['reason']}"


def _oracle(env: WebspEnv) -> OracleAgent:
    assert env.task is not None
    oracle = OracleAgent()
    oracle.begin(Briefing(env.instance, env.task.world_episode.account, 0))
    return oracle


def _unreported(env: WebspEnv) -> Iterator[str]:
    """Yield a problem if the session expires before the oracle's last change and no page reports it."""
    observation, _ = env.reset()
    assert env.task is not None
    server, oracle = env.task.world_episode, _oracle(env)
    states = [server.state().sites]
    for _ in play(oracle.act, observation, env.step):
        states.append(server.state().sites)
    if not states[-1][env.instance.site.slug].signed_in:
        # Who signs out in a session that has ended is signed out.
        return
    changes = [number for number, (before, after) in enumerate(pairwise(states)) if before != after]
    if not changes:
        return
    observation, _ = env.reset()
    assert isinstance(env.task.world_episode, SandboxEpisode)
    control, oracle, left = env.task.world_episode.control, _oracle(env), iter(range(changes[-1]))

    def act(seen: Mapping[str, Any]) -> str:
        action = oracle.act(seen)
        if next(left, None) is None:
            control.expire_session(env.instance.site.slug)
        return action

    *_, taken = islice(play(act, observation, env.step), changes[-1] + 1)
    assert env.task.tabs is not None
    page = env.task.tabs.current
    if SESSION_ENDED not in page.locator("body").inner_text():
        yield f'after {taken.action} in a session that has ended, {page.url} does not say "{SESSION_ENDED}"'


def _problems(instance: Instance, episode: WorldEpisode, tabs: Tabs) -> Iterator[str]:
    site = instance.site
    assert isinstance(episode, SandboxEpisode)
    assert site.login_trace is not None
    before = episode.state()
    if not episode.control.expire_session(site.slug):
        yield "nobody is signed in after the login trace"
    tabs.current.goto(site.start_url, wait_until="commit")
    settle(tabs)
    if episode.state().sites[site.slug].signed_in:
        yield f"a browser without a session signs in by itself on {site.start_url}"
    replay(
        read_trace(site.login_trace),
        tabs,
        set="recorded",
        account=episode.account,
        class_rules=site.replay_rules,
    )
    after = episode.state()
    if not after.sites[site.slug].signed_in:
        yield "after the session expired, the login trace does not sign in"
    for effect in side_effects(instance.task.goal, site.slug, before, after):
        yield f"signing in again also changes: {effect}"
