"""What an account may ask: itself, its tokens, services and searches."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from .._paths import join_path
from ..models import (
    Balance,
    FoundRoute,
    IssuedToken,
    Me,
    RelatedToAddress,
    ReportFound,
    SampleFound,
    SearchListAnswer,
    SearchListAnswers,
    SearchResults,
    Service,
    ServicePage,
    ShownC2,
    ShownHost,
    Token,
    TokenList,
    Usage,
    UsageDay,
)
from .calls import Calls


class AccountCalls(Calls):
    """None of these operations uses the quota."""

    async def me(self) -> Me:
        """The account of the token."""
        return await self._get(Me, "/api/me")

    async def balance(self) -> Balance:
        """The lookups that are left; 999999999999999 without a limit."""
        return await self._get(Balance, "/api/balance")

    async def usage(
        self, *, day: str | None = None, first: str | None = None, last: str | None = None
    ) -> tuple[UsageDay, ...]:
        """The units charged on each of the last 90 days, and what they were charged for.

        ``day`` selects one day (``YYYY-MM-DD``), ``first`` and ``last`` a range of days.
        """
        page = await self.usage_page(day=day, first=first, last=last)
        days = {one.day: one for one in page.days}
        while page.next_cursor is not None:
            page = await self.usage_page(day=day, first=first, last=last, cursor=page.next_cursor)
            for one in page.days:
                if one.entries and one.day in days:
                    known = days[one.day]
                    days[one.day] = replace(known, entries=known.entries + one.entries)
        return tuple(days.values())

    async def usage_page(
        self,
        *,
        day: str | None = None,
        first: str | None = None,
        last: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Usage:
        """One page of the entries, those of the newest day first. Each page has all days."""
        query = {"day": day, "from": first, "to": last, "limit": limit, "cursor": cursor}
        return await self._get(Usage, "/api/usage", query)

    async def search(
        self, text: str, *, limit: int | None = None
    ) -> tuple[ReportFound | SampleFound, ...]:
        """Searches all feeds and samples for a hash, an address, a tag, a family or a name."""
        return (await self._get(SearchResults, "/api/search", {"q": text, "limit": limit})).results

    async def search_list(
        self, queries: Sequence[str], *, limit: int | None = None
    ) -> tuple[SearchListAnswer, ...]:
        """Searches for each line of a list: hashes, starts of hashes, addresses and networks.

        At most 100 lines. The answers are in their order; one with ``error`` has no results.
        """
        body = {"queries": list(queries)} | ({} if limit is None else {"limit": limit})
        return (
            await self._post(SearchListAnswers, "/api/search", body=body, retry="always")
        ).answers

    async def services(self, *, limit: int | None = None, cursor: str | None = None) -> ServicePage:
        """One page of the services, by slug."""
        return await self._get(ServicePage, "/api/services", {"limit": limit, "cursor": cursor})

    async def iter_services(self) -> AsyncIterator[Service]:
        """All services, read page by page."""
        cursor: str | None = None
        while True:
            page = await self.services(cursor=cursor)
            for one in page.services:
                yield one
            cursor = page.next_cursor
            if cursor is None:
                return

    async def route(self, c2: str) -> FoundRoute:
        """The service that answers for ``<host>:<port>`` or a host."""
        return await self._get(FoundRoute, "/api/route", {"c2": c2})

    async def show_address(self, c2: str) -> ShownC2:
        """What is known of ``<host>:<port>`` over all feeds and samples."""
        return await self._get(ShownC2, "/api/c2", {"c2": c2})

    async def show_host(self, host: str) -> ShownHost:
        """The same over all ports of a host."""
        return await self._get(ShownHost, "/api/hosts", {"host": host})

    async def show_related(self, c2: str) -> RelatedToAddress:
        """What belongs to ``<host>:<port>`` or a host: files, C2s of their settings and host."""
        return await self._get(RelatedToAddress, "/api/related", {"c2": c2})

    async def list_tokens(
        self, *, limit: int | None = None, cursor: str | None = None
    ) -> TokenList:
        """One page of the tokens of the account, revoked ones included."""
        return await self._get(TokenList, "/api/tokens", {"limit": limit, "cursor": cursor})

    async def issue_token(
        self, *, label: str | None = None, expires_at: str | None = None
    ) -> IssuedToken:
        """Only this answer contains the token. ``expires_at`` is YYYY-MM-DDTHH:MM:SSZ."""
        members = {"label": label, "expiresAt": expires_at}
        body = {name: value for name, value in members.items() if value is not None}
        return await self._post(IssuedToken, "/api/tokens", body=body)

    async def revoke_token(self, token_id: str, *, issued: bool | None = None) -> Token:
        """``issued`` also revokes every token issued with this one, and so on."""
        return await self._delete(Token, join_path("api", "tokens", token_id), {"issued": issued})
