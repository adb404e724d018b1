"""The published profiles, and those saved in a store."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from core import draft, profiles
from core.changes import Changes, Op
from core.errors import UserError
from core.model import Setting
from core.pipeline.parameters import Parameter, parameters_of, with_parameters
from core.pipeline.run import Profile
from core.profiles import DEFAULT as DEFAULT
from core.services.workspace import Workspace
from core.store.protocol import Reader


def published() -> tuple[Profile, ...]:
    return profiles.PROFILES


def saved(workspace: Workspace) -> list[Profile]:
    """Return the profiles of this store: a published one with other parameters each, under its own name."""
    with workspace.store.read() as reader:
        return [_saved(name, each["base"], each["parameters"]) for name, each in _saved_values(reader).items()]


def named(reader: Reader, name: str) -> Profile:
    """Return a published profile, or one that was saved in this store."""
    own = _saved_values(reader).get(name)
    return profiles.profile(name) if own is None else _saved(name, own["base"], own["parameters"])


def _saved_values(reader: Reader) -> dict[str, Any]:
    return reader.setting(Setting.PROFILES) or {}


def save(
    workspace: Workspace, name: str, base: str, parameters: Mapping[str, Any], *, actor: str
) -> tuple[Profile, Changes]:
    """Save a profile with other parameters under its own name; can be undone."""
    selected = draft.plain_text("The profile's name", name, 60).strip()
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", selected) or selected in {each.name for each in published()}:
        raise UserError("A profile's name has lower-case letters, digits and dashes, and must not exist already.")
    profile = _saved(selected, base, parameters)
    with workspace.store.transact(Op.CONFIGURE, actor, f"profile {selected}") as transaction:
        kept = dict(transaction.reader().setting(Setting.PROFILES) or {})
        kept[selected] = {"base": base, "parameters": dict(parameters)}
        transaction.set_setting(Setting.PROFILES, kept)
    return profile, transaction.changes


def parameters(profile: Profile) -> list[Parameter]:
    """Return every parameter of a profile."""
    return parameters_of(profile)


def _saved(name: str, base: str, parameters: Mapping[str, Any]) -> Profile:
    changed = with_parameters(profiles.profile(base), parameters)
    details = ", ".join(f"{path} = {value}" for path, value in parameters.items())
    return replace(changed, name=name, about=f"{base} with {details}", source="Yours")
