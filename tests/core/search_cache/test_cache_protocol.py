"""What a reader may ask of the search cache: every question is answered, and asking loads no numpy."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

from core.search_cache.cache_protocol import CachedSearch
from core.search_cache.queries import CacheQueries

QUESTIONS = [name for name in vars(CachedSearch) if not name.startswith("_")]


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_cache_answers_every_question_with_the_same_arguments(name):
    asked, answered = (inspect.signature(getattr(each, name)) for each in (CachedSearch, CacheQueries))
    assert list(asked.parameters) == list(answered.parameters)


def test_the_protocol_loads_no_numpy():
    code = "import sys, core.search_cache.cache_protocol; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
