"""The logging configuration of a command does not affect the next test."""

import logging

from monitor.cli.terminal.logs import LogLevel, log_to_stderr


def test_a_command_configures_logging() -> None:
    log_to_stderr(LogLevel.DEBUG)
    assert logging.getLogger().level == logging.DEBUG


def test_the_next_test_finds_it_as_before() -> None:
    assert logging.getLogger().level > logging.DEBUG
    assert not [each for each in logging.getLogger().handlers if type(each) is logging.StreamHandler]
