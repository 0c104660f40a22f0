"""`nextpair`: the group of commands, each in a module of its own that is imported only when it runs."""

from __future__ import annotations

from importlib import import_module

import click

from nextpair import __version__
from nextpair.command import run

# command -> (module with a click command of that name, one line for --help)
COMMANDS = {
    "demo": ("demo", "Watch a simulated campaign find the best items, and what it saves."),
    "forecast": ("forecast", "Forecast what a campaign will bring for its money, before it starts."),
    "rank": ("rank", "Rank the items of a file of comparisons."),
    "start": ("start", "Start a campaign in a journal file."),
    "ask": ("journal", "Ask the next question of a campaign."),
    "tell": ("journal", "Answer, skip or undo a question."),
    "judge": ("judge", "Let programs answer a campaign, several questions at once."),
    "change": ("journal", "Change the budget, target, items or workers of a campaign, or pause it."),
    "show": ("show", "Show where a campaign stands."),
    "export": ("export", "Print the answers of a campaign as CSV."),
    "serve": ("serve", "Run live campaigns that people and programs answer over the web."),
    "restore": ("restore", "Bring a live campaign back from its journal."),
    "lab": ("lab", "Rerun the paper's experiments, or your own campaign, under several policies."),
    "bench": ("bench", "Measure nextpair against a reference in the same run."),
}


class LazyGroup(click.Group):
    """Lists every command without importing any, so that --help answers at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"nextpair.cli.{COMMANDS[cmd_name][0]}")
        command = getattr(module, cmd_name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            ctx.fail(f"no command {name!r}. The commands are: {', '.join(COMMANDS)}.")
        return super().resolve_command(ctx, args)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="nextpair")
def cli() -> None:
    """Rank things from noisy pairwise answers for the least money.

    Exit codes: 0 done, 1 refused (the message says why), 2 wrong usage, 3 nothing left to ask, 4 judged, but some
    questions had no answer. That nobody reads the output any more, as before | head, is no error.
    """


def main() -> None:
    """The command line."""
    run(cli)


if __name__ == "__main__":
    main()
