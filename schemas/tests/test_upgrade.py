"""The way from an older schema version to a newer one."""

from __future__ import annotations

import pytest
from wastenot.schemas.upgrade import SCHEMA_VERSION, UPGRADERS, UpgradeError, path_of_upgrades

STEPS = {1: "one to two", 2: "two to three", 4: "four to five"}


def test_every_step_between_two_versions_is_taken_in_order() -> None:
    assert path_of_upgrades(1, 3, STEPS) == [(2, "one to two"), (3, "two to three")]


def test_nothing_is_to_be_done_for_the_version_itself() -> None:
    assert path_of_upgrades(3, 3, STEPS) == []


def test_a_missing_step_is_named() -> None:
    with pytest.raises(UpgradeError, match="from schema version 3 to 4"):
        path_of_upgrades(1, 5, STEPS)


def test_a_version_from_the_future_is_refused() -> None:
    with pytest.raises(UpgradeError, match="version 9 is newer than 3"):
        path_of_upgrades(9, 3, STEPS)


def test_every_older_version_has_a_way_to_this_one() -> None:
    for version in range(1, SCHEMA_VERSION + 1):
        assert len(path_of_upgrades(version, SCHEMA_VERSION, UPGRADERS)) == SCHEMA_VERSION - version
