"""What a run leaves in its folder: data as JSON and CSV, the figure, and a page that explains them."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Sequence
from html import escape
from pathlib import Path

import nextpair
from nextpair.core.policies import POLICIES
from nextpair.lab.figures import save_figure
from nextpair.lab.progress import in_words
from nextpair.lab.run import Result, plain
from nextpair.store.streams import write_atomically

STYLE = """
:root { color-scheme: light; font: 17px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff }
body { margin: 0 auto; max-width: 46rem; padding: 1rem }
h1 { font-size: 1.5rem; line-height: 1.2 } h2 { font-size: 1.15rem; margin-top: 2rem }
figure { margin: 1rem 0 } figure svg { width: 100%; height: auto }
figcaption { color: #444; font-size: .9rem }
.scroll { overflow-x: auto } table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem }
th, td { padding: .3rem .7rem .3rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid #ccc }
td.n, th.n { text-align: right } code { background: #f1f1f1; padding: .1rem .25rem; overflow-wrap: anywhere }
.claims { list-style: none; padding: 0 } .claims li { border-top: 1px solid #ccc; padding: .6rem 0 }
.claims p { margin: .2rem 0 0; color: #444; font-size: .9rem }
.yes { color: #00594a; font-weight: 600 } .no { color: #a03c00; font-weight: 600 }
"""


def write_run(result: Result, folder: Path, command: str) -> None:
    """result.json, result.csv, figure.png, figure.svg and report.html."""
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(str(folder / "result.json"), json.dumps(result.as_json(), indent=1) + "\n")
    write_atomically(str(folder / "result.csv"), as_csv(result))
    _, svg = save_figure(result, folder)
    write_atomically(str(folder / "report.html"), run_page(result, svg.read_text(encoding="utf-8"), command))


def as_csv(result: Result) -> str:
    """The curves, or the timings, as rows."""
    buffer = io.StringIO()
    out = csv.writer(buffer, lineterminator="\n")
    if result.timings:
        out.writerow(["experiment", "policy", "items", "workers", "seconds", "paper_seconds"])
        for t in result.timings:
            out.writerow([result.job.experiment, t.policy, t.items, t.workers, t.seconds, t.paper_seconds])
        return buffer.getvalue()
    out.writerow(["experiment", "line", "budget", "accuracy", "stderr"])
    for label, curve in result.curves.items():
        for budget, accuracy, error in zip(result.budgets, curve.accuracy, curve.stderr, strict=True):
            out.writerow([result.job.experiment, label, plain(budget), accuracy, "" if math.isnan(error) else error])
    return buffer.getvalue()


def page(title: str, body: str) -> str:
    """A self-contained page that reads well on a phone."""
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head>\n'
        f"<body>\n{body}\n</body></html>\n"
    )


def figure_html(svg: str, caption: str) -> str:
    """A figure inside the page: nothing to load, sharp at any size."""
    picture = svg[svg.index("<svg") :]
    label = f'<svg role="img" aria-label="{escape(caption, quote=True)}"'
    return f"<figure>{picture.replace('<svg', label, 1)}<figcaption>{escape(caption)}</figcaption></figure>"


def run_page(result: Result, svg: str, command: str) -> str:
    experiment = result.job.declared
    parts = [
        f"<h1>{escape(experiment.title)}</h1>",
        f"<p>{escape(_in_words(result))}</p>",
        figure_html(svg, _caption(result)),
        table_html(result),
        "<h2>How it was made</h2>",
        f"<p><code>{escape(command)}</code></p>",
        f"<p>nextpair {nextpair.__version__}, {in_words(result.seconds)} of work in the last call. "
        "The same seed gives the same numbers on any number of cores or machines. The data: "
        "<code>result.json</code>, <code>result.csv</code>.</p>",
        _policies_html(result),
    ]
    return page(f"nextpair lab: {experiment.name}", "\n".join(parts))


def _in_words(result: Result) -> str:
    s, experiment = result.job.settings, result.job.declared
    what = f"{experiment.name} ({experiment.paper}). "
    if result.timings:
        return what + f"The median of {s.trials} choices, after as many random answers as there are items."
    who = f"{s.workers} workers of different reliability" if s.workers else "workers who are alike"
    bought = f"{s.budget:g} " + ("spent" if result.job.in_money else "answers bought")
    who += ", drawn anew each time" if s.drawn else ""
    where = f"the answers of {s.data}" if s.data else "simulated answers"
    trials = "1 trial" if s.trials == 1 else f"{s.trials} trials"
    return what + f"{s.items} items, {who}, {bought}, {trials}, seed {s.seed}, on {where}."


def _caption(result: Result) -> str:
    if result.timings:
        return "Time of one choice; the paper's machine of its time beside this one."
    if result.job.declared.tally == "pairs":
        return "How often each pair was asked, as a multiple of the mean over all pairs. The diagonal is empty."
    if result.job.declared.tally == "workers":
        return "Answers asked of each worker, mean over trials, with standard errors."
    return "Share of pairs in the right order, mean over trials. The bands are one standard error to each side."


def table_html(result: Result) -> str:
    """The end of each curve, or every timing."""
    if result.timings:
        head = ("policy", "items", "workers", "seconds", "the paper's seconds")
        rows = [
            (t.policy, str(t.items), str(t.workers or ""), seconds(t.seconds), seconds(t.paper_seconds, ""))
            for t in result.timings
        ]
        return rows_html(head, rows, first_number=1)
    spots = result.spots
    ends = ("", *(f"after {result.budgets[k]:g}" for k in spots), "standard error at the end")
    curves = [
        (label, *(f"{curve.accuracy[k]:.3f}" for k in spots), f"{curve.stderr[-1]:.3f}".replace("nan", "unknown"))
        for label, curve in result.curves.items()
    ]
    return rows_html(ends, curves, first_number=1)


def seconds(value: float | None, missing: str = "too long to measure") -> str:
    return missing if value is None else f"{value:.3g}"


def rows_html(head: tuple[str, ...], rows: Sequence[tuple[str, ...]], first_number: int) -> str:
    def cells(row: tuple[str, ...], tag: str) -> str:
        kinds = ['class="n"' if k >= first_number else "" for k in range(len(row))]
        return "".join(f"<{tag} {kind}>{escape(cell)}</{tag}>" for cell, kind in zip(row, kinds, strict=True))

    lines = "\n".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    return f'<div class="scroll"><table><tr>{cells(head, "th")}</tr>\n{lines}</table></div>'


def _policies_html(result: Result) -> str:
    items = "".join(
        f"<li><b>{escape(name)}</b>: {escape(POLICIES[name].summary)}</li>" for name in result.job.settings.policies
    )
    return f"<h2>The policies</h2><ul>{items}</ul>"
