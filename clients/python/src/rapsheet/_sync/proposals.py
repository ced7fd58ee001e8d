"""Reports that the analyses of uploaded files propose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .._paths import join_path
from ..models import DismissedProposal, Proposal, ProposalPage, ReportedProposal
from .calls import Calls


class ProposalCalls(Calls):
    """None of these operations uses the quota."""

    def proposals(
        self,
        *,
        state: str | None = None,
        file_hash: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ProposalPage:
        """One page of the proposals of your uploads, newest first.

        ``state`` is ``open``, ``reported`` or ``dismissed``; ``file_hash`` is the SHA-256 of a
        file.
        """
        query = {"limit": limit, "cursor": cursor, "state": state, "hash": file_hash}
        return self._get(ProposalPage, "/api/proposals", query)

    def iter_proposals(
        self, *, state: str | None = None, file_hash: str | None = None
    ) -> Iterator[Proposal]:
        """All proposals, read page by page."""
        cursor: str | None = None
        while True:
            page = self.proposals(state=state, file_hash=file_hash, cursor=cursor)
            for one in page.proposals:
                yield one
            cursor = page.next_cursor
            if cursor is None:
                return

    def report_proposal(
        self,
        proposal_id: str,
        *,
        tags: Sequence[str] | None = None,
        confidence_score: int | None = None,
        reference_link: str | None = None,
    ) -> ReportedProposal:
        """Reports what is proposed; the arguments replace members of the proposal.

        A repeated call creates nothing, and returns the first report.
        """
        members = {
            "tags": None if tags is None else list(tags),
            "confidenceScore": confidence_score,
            "referenceLink": reference_link,
        }
        body = {name: value for name, value in members.items() if value is not None}
        path = join_path("api", "proposals", proposal_id, "report")
        return self._post(ReportedProposal, path, body=body, retry="always")

    def dismiss_proposal(
        self, proposal_id: str, reason: str, *, note: str | None = None
    ) -> Proposal:
        """Closes a proposal without a report.

        ``reason`` is ``already_known``, ``not_malicious``, ``wrong_service`` or ``other``.
        """
        body = {"reason": reason} if note is None else {"reason": reason, "note": note}
        path = join_path("api", "proposals", proposal_id, "dismiss")
        return self._post(DismissedProposal, path, body=body, retry="always").proposal
