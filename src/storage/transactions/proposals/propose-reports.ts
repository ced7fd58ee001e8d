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
import { isOfFile } from '../../tables/reports/file-key.ts';
import { routesOf } from '../../tables/services/routes.ts';
import { all, each, query, type UnitOfWork } from '../../units/unit-of-work.ts';

/**
 * The proposals of a file follow its analysis. The caller has locked the file, so that no other
 * transaction adds proposals of it or decides about them.
 */

const COLUMNS = [
  'id',
  'account_id',
  'sha256',
  'file_name',
  'service_id',
  'host',
  'port',
  'family',
  'tags',
  'state',
  'reason',
  'note',
  'report_id',
  'created_at',
  'changed_at',
] as const satisfies readonly (keyof ProposalRow)[];

/** How many of the newest reports of a file in a feed are searched for one of the account. */
const MAX_SEARCHED_REPORTS = 100;

const insertProposal = query<ProposalRow>()((db, parameter) =>
  db.insertInto('proposal').values(all(parameter, COLUMNS)),
);

const updateProposal = query<Pick<ProposalRow, 'id' | 'family' | 'tags'>>()((db, parameter) =>
  db
    .updateTable('proposal')
    .set(all(parameter, ['family', 'tags']))
    .where('id', '=', parameter.id),
);

const deleteProposal = query<{ id: string }>()((db, parameter) =>
  db.deleteFrom('proposal').where('id', '=', parameter.id),
);

const selectOfAccount = query<{ sha256: Uint8Array; accountId: string }>()((db, parameter) =>
  db
    .selectFrom('proposal')
    .innerJoin('service', 'service.id', 'proposal.service_id')
    .select(['proposal.id', 'proposal.host', 'proposal.port', 'proposal.state', 'service.slug'])
    .where('proposal.sha256', '=', parameter.sha256)
    .where('proposal.account_id', '=', parameter.accountId),
);

const selectServiceId = query<{ slug: string }>()((db, parameter) =>
  db.selectFrom('service').select('id').where('slug', '=', parameter.slug),
);

/** In the order of the index, so that no more than `limit` rows are read. */
const selectReports = query<{ sha256: string; serviceId: number; limit: number }>()(
  (db, parameter, dialect) =>
    db
      .selectFrom('report')
      .select(['report.id', 'report.reporter_id', 'report.host', 'report.port'])
      .where(isOfFile(parameter.sha256, dialect))
      .where('report.service_id', '=', parameter.serviceId)
      .orderBy('report.number', 'desc')
      .limit(parameter.limit),
);

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
    selectServiceId,
    slugs.map((slug) => ({ slug })),
  );
  const ids = slugs.flatMap((slug, index) => {
    const id = found[index]?.[0]?.id;
    return id === undefined ? [] : [{ slug, id }];
  });
  const reports = yield* each(
    selectReports,
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
