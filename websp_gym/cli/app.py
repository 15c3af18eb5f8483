"""The commands. Each one only reads arguments, calls the library and shows what came back."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from websp_gym.errors import SetupError

app = typer.Typer(
    name="websp",
    help="Web agents on website security and privacy tasks: run, watch and check them.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)
out = Console(highlight=False)
err = Console(stderr=True, highlight=False)

AGENTS = "oracle, noop, random, a model such as openai:gpt-5.2, text:MODEL, or flawed:KIND (docs/agents.md)."
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a program to read.")]


class InitialState(StrEnum):
    """How S0 is reached."""

    REPLAY = "replay"
    SNAPSHOT = "snapshot"


class Reward(StrEnum):
    """Who scores an episode."""

    STATE = "state"
    JUDGE = "judge"


class Instruction(StrEnum):
    """Which wording of a task the agent gets."""

    WITHOUT_NAVIGATION = "without_navigation"
    WITH_NAVIGATION = "with_navigation"


class RescoreBy(StrEnum):
    """What a kept run is scored by."""

    STATE = "state"
    JUDGE = "judge"


class TargetState(StrEnum):
    """What stateful targets of a trace end in."""

    ON = "on"
    OFF = "off"
    RECORDED = "recorded"


@app.command("list")
def list_instances(
    site: Annotated[str | None, typer.Option(help="Only this site, e.g. Steam.")] = None,
    category: Annotated[str | None, typer.Option(help="Only task categories that contain this text.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the instances.

    Example: `websp list --site Steam --category cookie`
    """
    from websp_gym.instances import all_instances

    rows = [
        loaded
        for loaded in all_instances()
        if (site is None or loaded.site.site.casefold() == site.casefold())
        and (category is None or category.casefold() in loaded.task.category.casefold())
    ]
    if not rows:
        raise SetupError("no instance matches; `websp list` shows all")
    if as_json:
        sys.stdout.write(
            json.dumps([_instance_json(loaded) for loaded in rows], ensure_ascii=False, indent=1) + "\n"
        )
        return
    table = Table("instance", "category", "instruction", box=None, header_style="bold", pad_edge=False)
    for loaded in rows:
        table.add_row(f"[bold]{loaded.id}[/]", loaded.task.category, loaded.task.instruction)
    out.print(table)
    out.print(f"{len(rows)} instances", style="dim")


@app.command()
def show(instance_id: Annotated[str, typer.Argument(metavar="ID")], as_json: AsJson = False) -> None:
    """Show everything about one instance.

    Example: `websp show Steam-task-191-ON`
    """
    from rich.markup import escape

    from websp_gym.instances import load_instance

    loaded = load_instance(instance_id)
    if as_json:
        sys.stdout.write(json.dumps(_instance_json(loaded), ensure_ascii=False, indent=1) + "\n")
        return
    goal = loaded.task.goal.model_dump(exclude_defaults=True)
    out.print(f"[bold]{loaded.id}[/]  {loaded.site.site} · {loaded.task.category}\n")
    out.print(escape(loaded.task.instruction))
    out.print(f"[dim]with navigation:[/] {escape(loaded.task.instruction_with_navigation)}\n")
    out.print(f"[bold]start[/] {loaded.site.start_url}")
    out.print("[bold]S0[/]")
    for step in loaded.instance.initial_state:
        out.print(f"  {escape(json.dumps(step.model_dump()))}")
    out.print("[bold]goal[/]")
    for kind, wanted in goal.items():
        for line in wanted.items() if isinstance(wanted, dict) else enumerate(wanted, 1):
            out.print(f"  {kind} {line[0]}: {escape(json.dumps(line[1]))}")
    out.print("[bold]ground truth[/]")
    for number, text in enumerate(loaded.instance.ground_truth_text(), 1):
        out.print(f"  {number}. {escape(text)}")


@app.command()
def run(
    tasks: Annotated[
        list[str], typer.Option("--tasks", help="Instances to run, by glob; may be given repeatedly.")
    ],
    agent: Annotated[str, typer.Option(help=AGENTS)] = "oracle",
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
    trials: Annotated[int, typer.Option(min=1, help="How often each instance is played.")] = 1,
    out_dir: Annotated[
        Path | None, typer.Option("--out", help="Folder for results and trajectories.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Leave out what --out already has.")] = False,
    retries: Annotated[
        int, typer.Option(min=0, help="Play an episode again so often after an infrastructure error.")
    ] = 1,
    instruction: Annotated[
        Instruction, typer.Option(help="The wording the agent gets.")
    ] = Instruction.WITHOUT_NAVIGATION,
    max_actions: Annotated[
        int, typer.Option(min=1, help="Actions allowed; scrolls and waits are free.")
    ] = 20,
    max_seconds: Annotated[float, typer.Option(min=1, help="Seconds allowed.")] = 600.0,
    initial_state: Annotated[InitialState, typer.Option(help="How S0 is reached.")] = InitialState.REPLAY,
    seed: Annotated[int, typer.Option(help="Seed of every episode.")] = 0,
    reward: Annotated[Reward | None, typer.Option(help="Who scores; state in the sandbox otherwise.")] = None,
    judge: Annotated[
        list[str] | None, typer.Option("--judge", help="Models that judge; the paper's three otherwise.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run an agent on instances; with --out, a run that was interrupted goes on with --resume.

    Exit code 0 when every episode ran, whatever its reward; 1 when one ended in an infrastructure error.

    Example: `websp run --agent oracle --tasks 'Steam-*' --jobs 2 --out runs/oracle`
    """
    from websp_gym.cli.running import run_command
    from websp_gym.results import Run

    options: dict[str, Any] = {
        "initial_state": initial_state.value,
        "instruction": instruction.value,
        "max_actions": max_actions,
        "max_seconds": max_seconds,
        "reward": reward.value if reward else None,
        "judge": judge or None,
    }
    given = {name: value for name, value in options.items() if value is not None}
    code = run_command(
        tasks,
        Run(agent=agent, options=given, seed=seed),
        trials=trials,
        retries=retries,
        processes=jobs,
        folder=out_dir,
        resume=resume,
        as_json=as_json,
    )
    raise typer.Exit(code)


@app.command()
def judge(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder with recorded runs, at any depth.")],
    models: Annotated[
        list[str] | None,
        typer.Option("--models", help="Who votes; repeat it or use commas. The paper's three otherwise."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Leave out runs this judge has a verdict on.")
    ] = False,
    max_cost: Annotated[
        float | None, typer.Option(min=0, help="Stop before more than this is spent, in US dollars.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Runs at a time.")] = 4,
    asks: Annotated[
        int, typer.Option(min=1, help="How often a model is asked whose answer cannot be read.")
    ] = 3,
    rules: Annotated[Path | None, typer.Option(help="A text file with other rules for the judge.")] = None,
    use_cache: Annotated[
        bool, typer.Option("--cache/--no-cache", help="Use opinions already paid for.")
    ] = True,
    why: Annotated[
        bool,
        typer.Option(
            "--why", help="Ask the first model which kind a failure is, and which element caused it."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Judge recorded runs with multimodal models; needs no browser and no sandbox.

    Verdicts are added to DIR/judgements.jsonl. Exit code 0 when every run has one, 1 when some are left unscored.

    Example: `websp judge runs/oracle --models openai:gpt-5.2 --max-cost 5`
    """
    from websp_gym.cli.judging import judge_command

    code = judge_command(
        folder,
        models or [],
        jobs=jobs,
        asks=asks,
        rules=rules,
        use_cache=use_cache,
        resume=resume,
        max_cost=max_cost,
        ask_for_causes=why,
        as_json=as_json,
    )
    raise typer.Exit(code)


@app.command()
def rescore(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a run.")],
    by: Annotated[RescoreBy, typer.Option(help="The kept server state, or `websp judge`.")] = RescoreBy.STATE,
    write: Annotated[bool, typer.Option("--write", help="Let the new scores count from now on.")] = False,
    as_json: AsJson = False,
) -> None:
    """Score a kept run again, without browser and sandbox, and show what changes.

    Example: `websp rescore runs/oracle --by judge --write`
    """
    from websp_gym.cli.rescoring import rescore_command

    raise typer.Exit(rescore_command(folder, by.value, write=write, as_json=as_json))


@app.command()
def report(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR", help="Folders with runs, at any depth.")],
    html: Annotated[
        Path | None, typer.Option(help="Write one HTML file with tables, plots and every trajectory.")
    ] = None,
    compare: Annotated[
        str, typer.Option(help="Set published figures beside yours; `paper` for those of WebSP-Eval.")
    ] = "",
    max_size: Annotated[
        float, typer.Option(min=0, help="Megabytes of trajectories in the page; further ones are left out.")
    ] = 200.0,
    as_json: AsJson = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
) -> None:
    """Show what runs are worth: the paper's tables, with intervals, from any number of run folders.

    Example: `websp report runs/oracle runs/noop --html report.html --compare paper`
    """
    from websp_gym.cli.reporting import report_command

    report_command(
        folders,
        html=html,
        compare=compare,
        max_megabytes=max_size,
        as_json=as_json,
        as_markdown=as_markdown,
    )


@app.command()
def collect(
    study: Annotated[Path, typer.Argument(metavar="STUDY_DIR", help="The folder of a study of AgentLab's.")],
    out_dir: Annotated[
        Path | None, typer.Option("--out", help="Where the runs go; websp-run in the study otherwise.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make runs of an AgentLab study, for `websp report`; needs the extra `agentlab`.

    Example: `websp collect ~/agentlab_results/2026-01-31_12-00-00_oracle-on-websp`
    """
    from websp_gym.cli.collecting import collect_command

    collect_command(study, out=out_dir, as_json=as_json)


@app.command("judge-eval")
def judge_eval(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="DIR|LABELS", help="Runs in the sandbox, or a CSV or JSONL of trajectory and label."
        ),
    ],
    models: Annotated[
        list[str] | None,
        typer.Option("--models", help="Who votes; repeat it or use commas. The paper's three otherwise."),
    ] = None,
    play: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GLOB",
            help="Play these instances first, right and wrong, into DIR; what is there is not played again.",
        ),
    ] = None,
    processes: Annotated[int, typer.Option(min=1, help="Plays at a time.")] = 1,
    make: Annotated[
        int, typer.Option(min=0, help="Make so many runs of those in DIR, right and wrong ones.")
    ] = 0,
    kinds: Annotated[
        list[str] | None,
        typer.Option(help="Kinds to make, by commas; those whose screenshots are true otherwise."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of what is made.")] = 0,
    jobs: Annotated[int, typer.Option(min=1, help="Runs at a time.")] = 4,
    asks: Annotated[
        int, typer.Option(min=1, help="How often a model is asked whose answer cannot be read.")
    ] = 3,
    rules: Annotated[Path | None, typer.Option(help="A text file with other rules for the judge.")] = None,
    max_cost: Annotated[
        float | None, typer.Option(min=0, help="Stop before more than this is spent, in US dollars.")
    ] = None,
    out_dir: Annotated[
        Path | None, typer.Option("--out", help="Folder for report, cases and opinions already paid for.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure a judge against the truth: each model and every ensemble of them, with intervals.

    Without labels the truth is the server's state, which runs in the sandbox keep.

    Example: `websp judge-eval runs/hard --play 'Steam-*' --make 1000 --models openai:gpt-5.2 --out runs/eval`
    """
    from websp_gym.cli.evaluating import eval_command

    code = eval_command(
        source,
        models or [],
        make=make,
        kinds=kinds or [],
        seed=seed,
        jobs=jobs,
        asks=asks,
        rules=rules,
        max_cost=max_cost,
        out=out_dir,
        as_json=as_json,
        play=play or [],
        processes=processes,
    )
    raise typer.Exit(code)


@app.command()
def demo(
    instance_id: Annotated[
        str | None,
        typer.Argument(metavar="[ID]", help="Steam-task-191-ON, or a few with --agents, otherwise."),
    ] = None,
    out_dir: Annotated[Path, typer.Option("--out", help="Folder for the trajectories.")] = Path("runs/demo"),
    headed: Annotated[bool, typer.Option("--headed", help="Show the browser window.")] = False,
    agent: Annotated[str, typer.Option(help="oracle, noop or random.")] = "oracle",
    agents: Annotated[
        bool,
        typer.Option("--agents", help="Compare agents that each fail in a way of their own; no key needed."),
    ] = False,
    jobs: Annotated[int, typer.Option(min=1, help="Processes, with --agents.")] = 1,
) -> None:
    """Watch one instance run: sandbox, replay to S0, agent, verdict, and a page that shows it all.

    With --agents, play a few instances with eight scripted agents and write a leaderboard page.

    Example: `websp demo Steam-task-198-ON`, `websp demo --agents --jobs 2`
    """
    if agents:
        from websp_gym.cli.leaderboard import run_leaderboard

        raise typer.Exit(run_leaderboard(instance_id, out_dir / "agents", processes=jobs, headed=headed))
    from websp_gym.cli.demo import run_demo

    raise typer.Exit(run_demo(instance_id or "Steam-task-191-ON", out_dir, agent=agent, headed=headed))


@app.command()
def replay(
    trace: Annotated[str, typer.Argument(metavar="TRACE", help="A file, or a name below traces/.")],
    target: Annotated[
        TargetState, typer.Option("--set", help="What switches and check boxes end in.")
    ] = TargetState.RECORDED,
    watch: Annotated[bool, typer.Option("--watch", help="Show the browser window.")] = False,
    signed_out: Annotated[bool, typer.Option("--signed-out", help="Begin signed out.")] = False,
    picture: Annotated[
        Path | None, typer.Option(help="Write a screenshot of the last page to this PNG file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Replay a trace on a fresh account of the sandbox: how each element was found, what changed on the server.

    Example: `websp replay steam/mature_content --set off`
    """
    from websp_gym.cli.replaying import replay_command

    code = replay_command(
        trace, set=target.value, signed_in=not signed_out, watch=watch, picture=picture, as_json=as_json
    )
    raise typer.Exit(code)


@app.command()
def record(
    where: Annotated[
        str, typer.Argument(metavar="SITE|URL", help="A sandbox site, or a page of the live web.")
    ],
    name: Annotated[str | None, typer.Option(help="Name of the trace.")] = None,
    out_file: Annotated[
        Path | None, typer.Option("--out", help="The file; traces/SITE/NAME.json otherwise.")
    ] = None,
    start: Annotated[
        str | None, typer.Option(help="Page to begin on; the site's start page otherwise.")
    ] = None,
    signed_out: Annotated[bool, typer.Option("--signed-out", help="Begin signed out (sandbox).")] = False,
    screenshots: Annotated[
        bool, typer.Option("--screenshots/--no-screenshots", help="Keep a picture after each event.")
    ] = True,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a file that is there.")] = False,
) -> None:
    """Record a trace: a browser opens, you show the way, and what you did is saved.

    Account values of a live site become placeholders when WEBSP_ACCOUNT_EMAIL, WEBSP_ACCOUNT_USERNAME and
    WEBSP_ACCOUNT_NAME are set. Passwords, one-time codes and card numbers are never stored.

    Example: `websp record steam --name "mature content" --start https://store.steampowered.com/account/preferences/`
    """
    from websp_gym.cli.recording import record_command

    record_command(
        where,
        out=out_file,
        name=name,
        signed_out=signed_out,
        start=start,
        screenshots=screenshots,
        overwrite=overwrite,
    )


traces = typer.Typer(
    help="Look at recorded traces, check them, import and export them.", no_args_is_help=True
)
app.add_typer(traces, name="trace")


@traces.command("show")
def trace_show(
    trace: Annotated[str, typer.Argument(metavar="TRACE", help="A file, or a name below traces/.")],
    as_json: AsJson = False,
) -> None:
    """Show a trace event by event.

    Example: `websp trace show steam/email_preferences`
    """
    from websp_gym.cli.replaying import show_command

    show_command(trace, as_json=as_json)


@traces.command("validate")
def trace_validate(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TRACE]...", help="Files or folders; all of traces/ otherwise."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check traces against the schema and the rules for secrets; exit code 1 when one is not valid.

    Example: `websp trace validate traces/steam`
    """
    from websp_gym.cli.replaying import validate_command

    raise typer.Exit(validate_command(names or [], as_json=as_json))


@traces.command("import")
def trace_import(
    source: Annotated[
        Path,
        typer.Argument(help="A published WebSP trace, a Chrome DevTools Recorder flow, or a folder of them."),
    ],
    folder: Annotated[Path, typer.Option("--out", help="Folder for the traces.")] = Path("traces/imported"),
    site: Annotated[
        str | None, typer.Option(help="Slug of the site, where the recording does not tell.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace files that are there.")] = False,
) -> None:
    """Turn somebody else's recording into a trace.

    Example: `websp trace import flow.json --site steam --out traces/steam`
    """
    from websp_gym.cli.replaying import import_command

    import_command(source, folder, site=site, overwrite=overwrite)


@traces.command("export")
def trace_export(
    trace: Annotated[str, typer.Argument(metavar="TRACE", help="A file, or a name below traces/.")],
    target: Annotated[Path | None, typer.Option("--out", help="The file; printed otherwise.")] = None,
) -> None:
    """Write a trace as a flow that Chrome's DevTools Recorder can open.

    Example: `websp trace export steam/login --out login-flow.json`
    """
    from websp_gym.cli.replaying import export_command

    export_command(trace, target)


@app.command()
def serve(
    site: Annotated[str | None, typer.Argument(help="Site to open, e.g. steam; the index otherwise.")] = None,
    signed_out: Annotated[bool, typer.Option("--signed-out", help="Begin signed out.")] = False,
    headless: Annotated[bool, typer.Option("--no-browser", help="Only print how to reach it.")] = False,
) -> None:
    """Browse the sandbox by hand, under the real host names.

    Example: `websp serve steam`
    """
    from websp_gym.cli.serving import serve_command

    serve_command(site, signed_in=not signed_out, browser=not headless)


@app.command()
def check(
    sites: Annotated[
        list[str] | None, typer.Argument(metavar="[SITE]...", help="Slugs; every site with tasks otherwise.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
    offline: Annotated[bool, typer.Option("--offline", help="Read the files only; no browser.")] = False,
    screenshots: Annotated[
        Path | None, typer.Option(help="Folder for pictures of the pages and a contact sheet.")
    ] = None,
    places: Annotated[
        Path | None, typer.Option(help="Folder with sites/, task_configs/ and traces/ of your own.")
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show what passed, too.")] = False,
    as_json: AsJson = False,
) -> None:
    """Check a site and its tasks: files, initial states, proofs of every instance, every page and link.

    Exit code 0 when nothing failed, 1 when something did, 2 when there is no such site.

    Example: `websp check steam --jobs 2 --screenshots shots`
    """
    from websp_gym.cli.checking import check_command

    code = check_command(
        sites or [],
        places=places,
        online=not offline,
        processes=jobs,
        screenshots=screenshots,
        as_json=as_json,
        verbose=verbose,
    )
    raise typer.Exit(code)


@app.command("new-site")
def new_site(
    name: Annotated[str, typer.Argument(help="Name of the site as people write it, e.g. Example.")],
    host: Annotated[str | None, typer.Option(help="Its main host; www.NAME.com otherwise.")] = None,
    places: Annotated[
        Path | None, typer.Option(help="Folder for sites of your own, instead of this checkout.")
    ] = None,
) -> None:
    """Begin a new site: its folder, its tasks and a test, which pass `websp check` as they are.

    Example: `websp new-site Example --host www.example.com`
    """
    from websp_gym.cli.checking import new_site_command

    new_site_command(name, host=host, folder=places)


@app.command()
def doctor(as_json: AsJson = False) -> None:
    """Check that this machine can run everything, and say what to do where it cannot.

    Example: `websp doctor`
    """
    from websp_gym.cli.doctor import examine

    findings = examine()
    if as_json:
        rows = [{"check": item.name, "ok": item.ok, "detail": item.detail} for item in findings]
        sys.stdout.write(json.dumps(rows, ensure_ascii=False, indent=1) + "\n")
    else:
        for item in findings:
            out.print(
                f"{'[green]✓[/]' if item.ok else '[red]✗[/]'} [bold]{item.name}[/]  {item.detail}",
                soft_wrap=True,
            )
    raise typer.Exit(0 if all(item.ok for item in findings) else 1)


def _instance_json(loaded: Any) -> dict[str, Any]:
    return {
        "id": loaded.id,
        "site": loaded.site.site,
        "website_category": loaded.site.website_category,
        "category": loaded.task.category,
        "state": loaded.instance.state,
        "instruction": loaded.task.instruction,
        "instruction_with_navigation": loaded.task.instruction_with_navigation,
        "start_url": loaded.site.start_url,
        "element_types": list(loaded.instance.element_types),
        "ground_truth": loaded.instance.ground_truth_text(),
        "config_hash": loaded.config_hash,
    }
