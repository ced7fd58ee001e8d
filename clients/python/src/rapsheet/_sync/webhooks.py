"""Webhooks of a feed, for its owners."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from .._paths import join_path
from ..models import (
    AddedWebhook,
    DeliveryList,
    Done,
    QueuedDelivery,
    RotatedWebhook,
    Webhook,
    WebhookAnswer,
    WebhookList,
)
from .calls import Calls

WebhookEvent = Literal["report.created", "report.updated", "report.deleted"]
WebhookFormat = Literal["standard", "report", "cloudevents"]


class WebhookCalls(Calls):
    """``rapsheet.webhooks.verify`` checks what the server sends to them."""

    def add_webhook(
        self,
        service: str,
        url: str,
        *,
        events: Sequence[WebhookEvent] | None = None,
        format: WebhookFormat | None = None,
    ) -> AddedWebhook:
        """Only this answer contains the signing secret."""
        members = {
            "url": url,
            "events": None if events is None else list(events),
            "format": format,
        }
        body = {name: value for name, value in members.items() if value is not None}
        return self._post(AddedWebhook, join_path("feed", service, "webhooks"), body=body)

    def list_webhooks(self, service: str) -> tuple[Webhook, ...]:
        """All webhooks of the feed."""
        return self._get(WebhookList, join_path("feed", service, "webhooks")).webhooks

    def show_webhook(self, service: str, webhook_id: str) -> Webhook:
        """The webhook, with why it is disabled or suspended."""
        return (
            self._get(WebhookAnswer, join_path("feed", service, "webhooks", webhook_id))
        ).webhook

    def delete_webhook(self, service: str, webhook_id: str) -> None:
        """Removes the webhook with its pending deliveries."""
        self._delete(Done, join_path("feed", service, "webhooks", webhook_id))

    def rotate_webhook(self, service: str, webhook_id: str) -> RotatedWebhook:
        """Returns a new secret. Deliveries are signed with both secrets for a day."""
        path = join_path("feed", service, "webhooks", webhook_id, "rotate")
        return self._post(RotatedWebhook, path)

    def enable_webhook(self, service: str, webhook_id: str) -> Webhook:
        """Enables a webhook that was disabled."""
        path = join_path("feed", service, "webhooks", webhook_id, "enable")
        return self._post(WebhookAnswer, path).webhook

    def test_webhook(self, service: str, webhook_id: str) -> str:
        """Sends ``webhook.test``, and returns the id of the delivery."""
        path = join_path("feed", service, "webhooks", webhook_id, "test")
        return self._post(QueuedDelivery, path).delivery

    def list_deliveries(
        self,
        service: str,
        webhook_id: str,
        *,
        state: Literal["waiting", "delivered", "dead"] | None = None,
        limit: int | None = None,
        before: str | None = None,
    ) -> DeliveryList:
        """One page, newest first; ``before`` is the last id of the previous page."""
        path = join_path("feed", service, "webhooks", webhook_id, "deliveries")
        query = {"state": state, "limit": limit, "before": before}
        return self._get(DeliveryList, path, query)

    def replay_delivery(self, service: str, webhook_id: str, delivery: str) -> str:
        """Sends a delivery again, under the same id."""
        path = join_path("feed", service, "webhooks", webhook_id, "deliveries", delivery, "replay")
        return self._post(QueuedDelivery, path).delivery
