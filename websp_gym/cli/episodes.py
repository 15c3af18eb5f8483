"""``websp serve-episodes``: episodes for agents of other programs and machines."""

from __future__ import annotations

import secrets
import socket
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from websp_gym.cli.environment_options import EnvironmentOptions
from websp_gym.cli.option_groups import with_groups
from websp_gym.cli.options import Resume, Seed
from websp_gym.cli.output import Console
from websp_gym.errors import SetupError
from websp_gym.records.runs import Run, count
from websp_gym.serving import is_loopback, listen, place_of, run_server, token_for
from websp_gym.tasks.ids import instance_ids


@with_groups
def serve_episodes(
    *,
    episodes: Annotated[
        int, typer.Option(min=1, help="Episodes at once, each with a process and a browser.")
    ] = 1,
    out: Annotated[Path | None, typer.Option(help="Folder for results and trajectories.")] = None,
    resume: Resume = False,
    agent: Annotated[str, typer.Option(help="Name of the agent in results and reports.")] = "attached",
    host: Annotated[
        str,
        typer.Option(
            help="Address to listen on. One that other machines reach needs WEBSP_EPISODES_TOKEN and TLS."
        ),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port for agents; 0 for a free one.")] = 8900,
    control_port: Annotated[
        int,
        typer.Option(
            min=0,
            max=65535,
            help="Port for the client that begins episodes and reads results; 0 for a free one.",
        ),
    ] = 8901,
    public_address: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Where agents reach the port, if not --host, e.g. https://gpu7.example.org:8900.",
        ),
    ] = None,
    tls_certificate: Annotated[Path | None, typer.Option(help="Certificate for TLS, in PEM.")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="Its private key.")] = None,
    behind_proxy: Annotated[
        bool, typer.Option("--behind-proxy", help="A proxy in front handles TLS; needs --public-address.")
    ] = False,
    environment: EnvironmentOptions,
    seed: Seed = Run.seed,
) -> int:
    """Serve episodes to agents that act by themselves, until Ctrl-C; needs the extra `attach`.

    The holder of the token begins episodes and reads results; an agent gets only the addresses of its episode.

    Example: `websp serve-episodes --episodes 4 --out runs/mine`
    """
    from websp_gym.attach.front import Front, load_tls
    from websp_gym.attach.hosting import EpisodeHost
    from websp_gym.attach.players import check_extra
    from websp_gym.attach.service import VARIABLE, EpisodeService
    from websp_gym.runner.locking import locked
    from websp_gym.runner.preflight import check_options

    check_extra("serving episodes")
    if resume and out is None:
        raise SetupError("--resume needs --out DIR, the folder of the run to continue")
    given = token_for(host, VARIABLE)
    tls = load_tls(tls_certificate, tls_key)
    _check_reach(host, public_address, secured=tls is not None, behind_proxy=behind_proxy)
    run = Run(agent=agent, options=environment.given(), seed=seed)
    browser = check_options(run, "marks", instance_ids()[0])
    token = given or secrets.token_urlsafe(24)
    with ExitStack() as stack:
        if out is not None:
            from websp_gym.runner.jobs import plan_run

            stack.enter_context(locked(out))
            plan_run(run, [], folder=out, resume=resume, browser=browser)
        doors = stack.enter_context(listen(host, port))
        control = stack.enter_context(listen(host, control_port, "control-port"))
        scheme = "http" if tls is None else "https"
        front = Front(doors, tls)
        public = (public_address or f"{scheme}://{_named(doors, host)}").rstrip("/")
        console = Console()
        hosting = EpisodeHost(
            run,
            out,
            size=episodes,
            public=public,
            doors=front.doors,
            on_over=lambda episode: console.print(str(episode), markup=False, soft_wrap=True),
        )
        console.print(
            f"serving {count(episodes, 'episode')} at once; agents: {public}", markup=False, soft_wrap=True
        )
        at = f"{scheme}://{_named(control, host)}"
        console.print(
            f'to begin one: POST {at}/episodes with {{"instance": ID}}', markup=False, soft_wrap=True
        )
        shown = f"the token in {VARIABLE}" if given else token
        console.print(f"Authorization: Bearer {shown}", markup=False, soft_wrap=True)
        console.print("Press Ctrl-C to stop.", style="dim")
        files = {"ssl_certfile": tls_certificate, "ssl_keyfile": tls_key} if tls is not None else {}
        run_server(EpisodeService(hosting, front, token).app, control, **files)
    return 0


def _check_reach(host: str, public: str | None, *, secured: bool, behind_proxy: bool) -> None:
    """Raise SetupError where tokens would travel between machines in the clear."""
    if public is not None and not public.startswith(("http://", "https://")):
        raise SetupError(
            f"--public-address {public}: give http://HOST:PORT or https://HOST:PORT", option="public_address"
        )
    if behind_proxy and public is None:
        raise SetupError(
            "--behind-proxy needs --public-address, where agents reach the proxy", option="public_address"
        )
    if not (is_loopback(host) or secured or behind_proxy):
        raise SetupError(
            f"{host} can be reached from other machines, and tokens would travel in the clear: give "
            "--tls-certificate and --tls-key, or --behind-proxy if a proxy handles TLS",
            option="tls_certificate",
        )


def _named(listener: socket.socket, host: str) -> str:
    """Return host and port under which a socket is reached."""
    everywhere = host in ("0.0.0.0", "::")
    return f"{socket.gethostname()}:{listener.getsockname()[1]}" if everywhere else place_of(listener)
