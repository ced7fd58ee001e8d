"""Proofs that a service owns the hosts that it declares."""

from __future__ import annotations

from typing import Literal

from .._paths import join_path
from ..models import CheckedOwnership, Ownership
from .calls import Calls


class OwnershipCalls(Calls):
    """For owners of the service and administrators."""

    def show_ownership(self, service: str) -> Ownership:
        """What is declared, what of it is proven, and the text to publish for the rest."""
        return self._get(Ownership, join_path("feed", service, "ownership"))

    def check_ownership(
        self, service: str, pattern: str, method: Literal["dns", "http"]
    ) -> CheckedOwnership:
        """Checks now. Not repeated: the server refuses a second check within seconds."""
        path = join_path("feed", service, "ownership", "check")
        body = {"pattern": pattern, "method": method}
        return self._post(CheckedOwnership, path, body=body, retry="never")
