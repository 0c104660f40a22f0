"""`nextpair bench ask` runs and reports what it promises."""

import json

from click.testing import CliRunner

from nextpair.cli.bench import bench


def test_ask_as_json():
    result = CliRunner().invoke(bench, ["ask", "--items", "13", "--answers", "0,2", "--repeat", "1", "--json"])
    assert result.exit_code == 0, result.output
    rows = json.loads(result.output)
    scores = [row for row in rows if row["work"] == "all scores"]
    assert [row["answers"] for row in scores] == [0, 26]
    assert all(row["ratio"] == row["transcription"] / row["seconds"] for row in scores)


def test_ask_as_a_table():
    result = CliRunner().invoke(bench, ["ask", "--items", "5", "--answers", "1", "--repeat", "1"])
    assert result.exit_code == 0, result.output
    assert "Crowd-BT" in result.output
