"""Commands about runs: playing, scoring and judging them, and reporting on them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from websp_gym.cli.options import AGENTS, AsJson, By, Headed, InitialState, Instruction, Reward, read_viewport
from websp_gym.env.options import Options


def run(
    instances: Annotated[
        list[str] | None, typer.Argument(metavar="[ID|GLOB]...", help="Instances to run, by id or glob.")
    ] = None,
    tasks: Annotated[
        list[str] | None, typer.Option("--tasks", help="The same as an option; may be given repeatedly.")
    ] = None,
    site: Annotated[str | None, typer.Option(help="Only this site, e.g. Steam.")] = None,
    category: Annotated[str | None, typer.Option(help="Only task categories that contain this text.")] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Only the first so many instances, as `websp list` has them.")
    ] = None,
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
    max_error_share: Annotated[
        float, typer.Option(min=0, max=1, help="Exit with 1 when more of the episodes end in an error.")
    ] = 0.05,
    max_cost: Annotated[
        float | None,
        typer.Option(min=0, help="Begin no episode that could cost more than this in all, in US dollars."),
    ] = None,
    fail_fast: Annotated[
        bool, typer.Option("--fail-fast", "-x", help="Begin no more after an episode that does not pass.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check everything and say what would be played.")
    ] = False,
    instruction: Annotated[
        Instruction, typer.Option(help="The wording the agent gets.")
    ] = Instruction.WITHOUT_NAVIGATION,
    max_actions: Annotated[
        int, typer.Option(min=1, help="Actions allowed; scrolls and waits are free.")
    ] = Options.max_actions,
    max_seconds: Annotated[float, typer.Option(min=1, help="Seconds allowed.")] = Options.max_seconds,
    initial_state: Annotated[InitialState, typer.Option(help="How S0 is reached.")] = InitialState.REPLAY,
    login: Annotated[
        str | None, typer.Option(help="session starts signed in, replay signs in first.")
    ] = None,
    observation: Annotated[
        str | None, typer.Option(help="marks, text, browsergym or all; what the agent reads otherwise.")
    ] = None,
    viewport: Annotated[
        str | None, typer.Option(metavar="WxH", help="Size of the page in CSS pixels; 1280x1024 otherwise.")
    ] = None,
    headed: Annotated[bool, typer.Option("--headed", help="Show the browser windows.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of every episode.")] = 0,
    reward: Annotated[Reward | None, typer.Option(help="Who scores; state in the sandbox otherwise.")] = None,
    judge: Annotated[
        list[str] | None, typer.Option("--judge", help="Models that judge; the paper's three otherwise.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run an agent on instances; with --out, a run that was interrupted goes on with --resume.

    Exit code 0 when the episodes ran, whatever their reward; 1 when too many ended in an infrastructure error or some
    were not begun; 2 when nothing could run; 130 after Ctrl-C.

    Example: `websp run 'Steam-*' --agent oracle --jobs 2 --out runs/oracle`
    """
    from websp_gym.cli.running import Choice, Limits, run_command
    from websp_gym.records.results import Run

    options: dict[str, Any] = {
        "initial_state": initial_state.value,
        "instruction": instruction.value,
        "max_actions": max_actions,
        "max_seconds": max_seconds,
        "login": login,
        "observation": observation,
        "viewport": read_viewport(viewport) if viewport else None,
        "headless": False if headed else None,
        "reward": reward.value if reward else None,
        "judge": judge or None,
    }
    given = {name: value for name, value in options.items() if value is not None}
    code = run_command(
        Choice((*(instances or ()), *(tasks or ())), site=site, category=category, limit=limit),
        Run(agent=agent, options=given, seed=seed),
        trials=trials,
        retries=retries,
        processes=jobs,
        folder=out_dir,
        resume=resume,
        limits=Limits(max_error_share=max_error_share, max_cost=max_cost, fail_fast=fail_fast),
        dry_run=dry_run,
        as_json=as_json,
    )
    raise typer.Exit(code)


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

    Verdicts are added to judgements.jsonl beside each trajectory. Exit code 0 when every run has one, 1 when some are
    left unscored.

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


def rescore(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a run.")],
    by: Annotated[By, typer.Option(help="The kept server state, or `websp judge`.")] = By.STATE,
    write: Annotated[bool, typer.Option("--write", help="Let the new scores count from now on.")] = False,
    as_json: AsJson = False,
) -> None:
    """Score a kept run again, without browser and sandbox, and show what changes.

    Example: `websp rescore runs/oracle --by judge --write`
    """
    from websp_gym.cli.rescoring import rescore_command

    raise typer.Exit(rescore_command(folder, by.value, write=write, as_json=as_json))


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


def xray(
    folder: Annotated[
        Path | None,
        typer.Argument(
            metavar="[DIR]", help="Folder of studies; AGENTLAB_EXP_ROOT, ~/agentlab_results otherwise."
        ),
    ] = None,
) -> None:
    """Look at studies of AgentLab's in its viewer, AgentXRay, without a network; needs the extra `agentlab`.

    Example: `websp xray ~/agentlab_results`
    """
    from websp_gym.cli.collecting import xray_command

    xray_command(folder)


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
    processes: Annotated[int | None, typer.Option(min=1, hidden=True)] = None,
    make: Annotated[
        int, typer.Option(min=0, help="Make so many runs of those in DIR, right and wrong ones.")
    ] = 0,
    kinds: Annotated[
        list[str] | None,
        typer.Option(help="Kinds to make, by commas; those whose screenshots are true otherwise."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of what is made.")] = 0,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Runs at a time; otherwise 1 is played and 4 are judged.")
    ] = None,
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
        jobs=jobs or 4,
        asks=asks,
        rules=rules,
        max_cost=max_cost,
        out=out_dir,
        as_json=as_json,
        play=play or [],
        processes=processes or jobs or 1,
    )
    raise typer.Exit(code)


def demo(
    instance_id: Annotated[
        str | None,
        typer.Argument(metavar="[ID]", help="Steam-task-191-ON, or a few with --agents, otherwise."),
    ] = None,
    out_dir: Annotated[Path, typer.Option("--out", help="Folder for the trajectories.")] = Path("runs/demo"),
    headed: Headed = False,
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
