from monitor.cli.checks.connections import check_open_files
from monitor.cli.checks.line import State
from monitor.config.tree import Config
from monitor.servers.descriptors import DescriptorLimit


def test_a_hard_limit_that_is_too_low_is_warned_of_with_the_number_that_is_needed() -> None:
    line = check_open_files(Config(), DescriptorLimit(soft=256, hard=256))
    assert line.state is State.WARN
    assert "42 connections per listener are possible instead of 1024" in line.sentence
    assert "raise the hard limit to 3200" in line.sentence


def test_a_low_soft_limit_is_no_reason_to_warn_since_the_daemon_raises_it() -> None:
    line = check_open_files(Config(), DescriptorLimit(soft=1024, hard=4096))
    assert line.state is State.OK
    assert "4096" in line.sentence
