"""Times are kept to the microsecond and never depend on the machine's zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.clock import FixedClock, SystemClock, from_micros, parse_iso, to_iso, to_micros
from core.errors import UserError


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_moment_survives_the_file_and_the_wire_unchanged(moment):
    assert from_micros(to_micros(moment)) == moment
    assert parse_iso(to_iso(moment)) == moment


def test_the_system_clock_is_aware_and_in_utc():
    assert SystemClock().now().utcoffset() == timedelta()


def test_a_fixed_clock_stands_until_it_is_moved():
    clock = FixedClock(datetime(2026, 1, 1, tzinfo=UTC))
    clock.advance(timedelta(days=1))
    assert clock.now() == datetime(2026, 1, 2, tzinfo=UTC)


def test_another_zone_is_turned_to_utc():
    moment = datetime(2026, 1, 1, 12, tzinfo=timezone(timedelta(hours=8)))
    assert to_iso(moment) == "2026-01-01T04:00:00Z"


def test_what_is_no_time_is_refused_with_the_field_named():
    with pytest.raises(UserError, match="as of is not an ISO 8601 time"):
        parse_iso("soon", "as of")
