"""The mail of a feed, for its owners."""

from __future__ import annotations

from typing import Literal

from .._paths import join_path
from ..models import Mail, MailDeliveryList, QueuedDelivery, ShownMail
from .calls import Calls


class MailCalls(Calls):
    """Where new reports are mailed to. An administrator sets it."""

    def show_mail(self, service: str) -> Mail | None:
        """The address and format, and since when every attempt has failed.

        ``None`` if the service gets no mail.
        """
        return self._get(ShownMail, join_path("feed", service, "mail")).mail

    def list_mail_deliveries(
        self,
        service: str,
        *,
        state: Literal["waiting", "delivered", "dead"] | None = None,
        limit: int | None = None,
        before: str | None = None,
    ) -> MailDeliveryList:
        """One page, newest first; ``before`` is the last id of the previous page."""
        path = join_path("feed", service, "mail", "deliveries")
        query = {"state": state, "limit": limit, "before": before}
        return self._get(MailDeliveryList, path, query)

    def test_mail(self, service: str) -> str:
        """Sends a mail without a report, for owners and administrators; the id of the delivery."""
        return (self._post(QueuedDelivery, join_path("feed", service, "mail", "test"))).delivery

    def replay_mail(self, service: str, delivery: str) -> str:
        """Sends a report again, under the same id of the delivery."""
        path = join_path("feed", service, "mail", "deliveries", delivery, "replay")
        return self._post(QueuedDelivery, path).delivery
