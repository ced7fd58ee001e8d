import { randomBytes } from 'node:crypto';
import {
  type Findings,
  type KnownProposal,
  type ProposalChanges,
  type ProposedReport,
  proposalChanges,
  proposedReports,
} from '../../../domain/proposals/proposal.ts';
import { formatUuidV7 } from '../../../domain/uuid.ts';
import type { ProposalRow } from '../../schema/tables.ts';
import type { Uploader } from '../../tables/proposals/further-uploads.ts';
import {
  insertProposal,
  selectOfAccount,
  updateProposal,
} from '../../tables/proposals/new-proposals.ts';
import { deleteProposal } from '../../tables/proposals/proposals.ts';
import { selectInFeed } from '../../tables/reports/reports-of-file.ts';
import { selectFeed } from '../../tables/services/feed-rows.ts';
import { routesOf } from '../../tables/services/routes.ts';
import { each, type UnitOfWork } from '../../units/unit-of-work.ts';

/**
 * The proposals of a file follow its analysis. The caller has locked the file, so that no other
 * transaction adds proposals of it or decides about them.
 */

/** How many of the newest reports of a file in a feed are searched for one of the account. */
const MAX_SEARCHED_REPORTS = 100;

interface AnalysedFile extends Findings {
  readonly sha256: string;
}

/** Brings the proposals of these accounts up to date with an analysis of the file. */
export function* proposeReports(
  file: AnalysedFile,
  uploaders: readonly Uploader[],
  at: Date,
): UnitOfWork<void> {
  const sha256 = Buffer.from(file.sha256, 'hex');
  const hosts = [...new Set(file.c2s.map(({ host }) => host))];
  const routes = hosts.length === 0 ? new Map() : yield* routesOf(hosts);
  const proposed = proposedReports(file, routes);
  const known = yield* each(
    selectOfAccount,
    uploaders.map(({ accountId }) => ({ sha256, accountId })),
  );
  const changes = uploaders.map((_, index) =>
    proposalChanges((known[index] ?? []).map(toKnown), proposed),
  );
  yield* writeChanges(changes);
  const wanted = uploaders.flatMap((uploader, index) =>
    (changes[index]?.added ?? []).map((report) => ({ uploader, report })),
  );
  if (wanted.length > 0) yield* addProposals(file.sha256, wanted, at);
}

function* writeChanges(changes: readonly ProposalChanges<KnownProposal>[]): UnitOfWork<void> {
  yield* each(
    updateProposal,
    changes.flatMap(({ updated }) =>
      updated.map(({ id, report: { family, tags } }) => ({
        id,
        family: family ?? null,
        tags: JSON.stringify(tags),
      })),
    ),
  );
  yield* each(
    deleteProposal,
    changes.flatMap(({ withdrawn }) => withdrawn.map(({ id }) => ({ id }))),
  );
}

interface WantedProposal {
  readonly uploader: Uploader;
  readonly report: ProposedReport;
}

/** What the account has reported already is added as reported. */
export function* addProposals(
  sha256: string,
  wanted: readonly WantedProposal[],
  at: Date,
): UnitOfWork<void> {
  const slugs = [...new Set(wanted.map(({ report }) => report.service))];
  const found = yield* each(
    selectFeed,
    slugs.map((slug) => ({ slug })),
  );
  const ids = slugs.flatMap((slug, index) => {
    const id = found[index]?.[0]?.id;
    return id === undefined ? [] : [{ slug, id }];
  });
  const reports = yield* each(
    selectInFeed,
    ids.map(({ id }) => ({ sha256, serviceId: id, limit: MAX_SEARCHED_REPORTS })),
  );
  const services = new Map(
    ids.map(({ slug, id }, index) => [slug, { id, reports: reports[index] ?? [] }]),
  );
  const now = at.toISOString();
  yield* each(
    insertProposal,
    wanted.flatMap(({ uploader, report: { service, c2, family, tags } }) => {
      const feed = services.get(service);
      if (feed === undefined) return [];
      const own = feed.reports.find(
        ({ reporter_id, host, port }) =>
          reporter_id === uploader.accountId && host === c2.host && port === c2.port,
      );
      return {
        id: formatUuidV7(at, randomBytes(10)),
        account_id: uploader.accountId,
        sha256: Buffer.from(sha256, 'hex'),
        file_name: uploader.fileName,
        service_id: feed.id,
        host: c2.host,
        port: c2.port,
        family: family ?? null,
        tags: JSON.stringify(tags),
        state: own === undefined ? ('open' as const) : ('reported' as const),
        reason: null,
        note: null,
        report_id: own?.id ?? null,
        created_at: now,
        changed_at: now,
      };
    }),
  );
}

function toKnown(found: {
  readonly id: string;
  readonly host: string;
  readonly port: number;
  readonly state: ProposalRow['state'];
  readonly slug: string;
}): KnownProposal {
  const { id, state, slug: service, host, port } = found;
  return { id, state, service, c2: { host, port } };
}
