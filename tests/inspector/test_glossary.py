"""The glossary: every term the window shows has an entry, and each entry is found by its names."""

from __future__ import annotations

import pytest

from core.pipeline.run_report import LABELS
from inspector import glossary
from inspector.cli import OK, main
from inspector.gui.viewmodels.health import ENTRIES


@pytest.mark.parametrize("label", sorted(set(LABELS.values())))
def test_every_label_of_a_score_has_an_entry(label):
    assert glossary.find(label) is not None


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.title)
def test_every_finding_of_health_has_an_entry(entry):
    assert glossary.find(entry.title) is not None


@pytest.mark.parametrize("name", ["RRF", "rrf", "reciprocal-rank-fusion", "Reciprocal rank fusion"])
def test_an_entry_is_found_by_each_of_its_names_and_by_its_anchor(name):
    assert glossary.location(name) == "glossary#reciprocal-rank-fusion"


@pytest.mark.parametrize(
    "name", ["term", "list", "token", "word token", "model token", "API token", "why not", "infer-links", "remaining"]
)
def test_words_with_several_meanings_have_an_entry(name):
    assert glossary.find(name) is not None


@pytest.mark.parametrize(
    ("names", "anchor"),
    [
        (("words", "evidence"), "bm25"),
        (("k1", "saturated frequency", "bm25", "fused"), "bm25"),
        (("score after decay",), "decay"),
        (("source", "score after source"), "provenance"),
        (("fused",), "rank-fusion"),
        (("one half",), "explanation"),
        ((), "explanation"),
    ],
)
def test_a_number_of_an_explanation_leads_to_its_own_entry_or_to_that_of_what_it_is_part_of(names, anchor):
    assert glossary.location_of_number(*names) == f"glossary#{anchor}"


def test_the_command_line_prints_one_entry(capsys):
    assert main(["help", "glossary#bm25"]) == OK
    assert capsys.readouterr().out.startswith("BM25: the score of a text match")
