"""The profiles to select from: published ones, and those saved in the open store."""

from __future__ import annotations

import pytest

from core.services import profiles as service
from inspector.gui.viewmodels.open_store import PERSON
from inspector.gui.viewmodels.profiles import Profiles


@pytest.fixture
def profiles(store):
    return Profiles(store)


def save(store, name="mine"):
    store.write(lambda ws: service.save(ws, name, "oro", {}, actor=PERSON))


def test_without_a_store_the_published_ones_are_there(profiles):
    assert profiles.every == profiles.published == service.published()


def test_a_saved_profile_appears_and_goes_with_an_undo(after, profiles, opened):
    after(profiles.changed, lambda: save(opened))
    assert [each.name for each in profiles.every[len(profiles.published) :]] == ["mine"]
    after(profiles.changed, opened.undo)
    assert profiles.every == profiles.published


def test_a_name_that_is_gone_means_the_default(after, profiles, opened):
    after(profiles.changed, lambda: save(opened))
    assert profiles.named("mine").name == "mine"
    assert profiles.named("gone").name == profiles.published[0].name


def test_saved_profiles_are_loaded_when_their_store_is_opened(after, profiles, opened, sample, tmp_path):
    after(profiles.changed, lambda: save(opened))
    after(profiles.changed, lambda: opened.create(tmp_path / "new.db"))
    assert profiles.every == profiles.published
    after(profiles.changed, lambda: opened.open(sample))
    assert profiles.named("mine").name == "mine"
