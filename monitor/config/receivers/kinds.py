"""The kinds of receiver. A new kind is one section here and one line in monitor/alerting/notify/table.py."""

from typing import Annotated

from pydantic import Field

from monitor.config.receivers.alertmanager import AlertmanagerReceiver
from monitor.config.receivers.apprise import AppriseReceiver
from monitor.config.receivers.chat import DiscordReceiver, GrafanaIrmReceiver, SlackReceiver, TeamsReceiver
from monitor.config.receivers.console import ConsoleReceiver
from monitor.config.receivers.email import EmailReceiver
from monitor.config.receivers.opsgenie import OpsgenieReceiver
from monitor.config.receivers.pagerduty import PagerDutyReceiver
from monitor.config.receivers.slack_api import SlackApiReceiver
from monitor.config.receivers.webhook import WebhookReceiver

ReceiverConfig = Annotated[
    WebhookReceiver
    | ConsoleReceiver
    | EmailReceiver
    | SlackReceiver
    | SlackApiReceiver
    | TeamsReceiver
    | DiscordReceiver
    | PagerDutyReceiver
    | OpsgenieReceiver
    | GrafanaIrmReceiver
    | AlertmanagerReceiver
    | AppriseReceiver,
    Field(discriminator="kind"),
]
