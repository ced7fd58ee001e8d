import { type C2Address, formatC2Address } from '../../../domain/reports/c2-address.ts';
import type { Report } from '../../../domain/reports/report.ts';
import type { CreateOutcome } from '../../../ports/report-store.ts';
import type { ProposalRow } from '../../tables.ts';
import { each, query, type UnitOfWork } from '../../unit-of-work.ts';
import { unindexedText } from '../unindexed-columns.ts';
import { proposalsOfFiles } from './proposals-of-file.ts';

/** Locked, so that it is not dismissed before the commit. */
const selectState = query<{ id: string; accountId: string }>()((db, parameter, dialect) =>
  db
    .selectFrom('proposal')
    .select(['state', 'report_id'])
    .where('id', '=', parameter.id)
    .where(unindexedText('account_id'), '=', parameter.accountId)
    .$if(dialect === 'postgres', (proposal) => proposal.forUpdate()),
);

interface ReportedValues {
  id: string;
  service_id: number;
  report_id: string;
  changed_at: string;
}

const updateReported = query<ReportedValues>()((db, parameter) =>
  db
    .updateTable('proposal')
    .set({
      state: 'reported',
      service_id: parameter.service_id,
      report_id: parameter.report_id,
      changed_at: parameter.changed_at,
    })
    .where('id', '=', parameter.id),
);

/** A report that its reporter created without the proposal. */
export interface ReportByHand {
  readonly report: Pick<Report, 'id' | 'sha256' | 'reporterId' | 'c2' | 'reportedAt'>;
  readonly serviceId: number;
  /** Whether that service answers for the C2. */
  readonly isRouted: boolean;
}

/**
 * The open proposal of the same C2 and file becomes reported. One of another service moves to that
 * of the report, unless the account has one there too.
 */
export function* markReportedByHand(reports: readonly ReportByHand[]): UnitOfWork<void> {
  const known = yield* proposalsOfFiles(
    reports.map(({ report: { sha256, reporterId } }) => ({
      sha256: Buffer.from(sha256, 'hex'),
      accountId: reporterId,
    })),
  );
  const seen = new Set<string>();
  const reported = reports.flatMap(({ report, serviceId, isRouted }, index) => {
    const { host, port } = report.c2;
    const ofC2 = (known[index] ?? []).filter((one) => one.host === host && one.port === port);
    const own = ofC2.find(({ service_id }) => service_id === serviceId);
    const open = own ?? (isRouted ? ofC2.find(({ state }) => state === 'open') : undefined);
    const changed_at = report.reportedAt.toISOString();
    // The first of several reports of the batch.
    if (open?.state !== 'open' || seen.has(open.id)) return [];
    seen.add(open.id);
    return {
      accountId: report.reporterId,
      values: { id: open.id, service_id: serviceId, report_id: report.id, changed_at },
    };
  });
  if (reported.length === 0) return;
  // Read again and locked: a dismissal may have been first.
  const locked = yield* each(
    selectState,
    reported.map(({ accountId, values: { id } }) => ({ id, accountId })),
  );
  yield* each(
    updateReported,
    reported.filter((_, index) => locked[index]?.[0]?.state === 'open').map(({ values }) => values),
  );
}

/** A create with the members that its proposal needs. */
export interface ProposedCreate {
  readonly service: string;
  readonly c2: C2Address;
  readonly sha256: string;
  readonly reporterId: string;
  readonly proposalId?: string | undefined;
  readonly reportedAt: Date;
}

type State = Pick<ProposalRow, 'state' | 'report_id'>;

/**
 * The proposals that a batch of creates reports. The caller has locked the feeds, and the rows are
 * locked here, so that concurrent creates of the same proposal make one report.
 */
export class ProposalClaims {
  /** By account and id. */
  readonly #states = new Map<string, State>();
  readonly #reported: ReportedValues[] = [];
  /** The reports of this batch by their content. */
  readonly #created = new Map<string, { readonly id: string; readonly serviceId: number }>();

  *load(creates: readonly ProposedCreate[]): UnitOfWork<void> {
    const distinct = new Map<string, { readonly id: string; readonly accountId: string }>();
    for (const create of creates)
      if (create.proposalId !== undefined)
        distinct.set(keyOf(create), { id: create.proposalId, accountId: create.reporterId });
    const found = yield* each(selectState, [...distinct.values()]);
    for (const [index, key] of [...distinct.keys()].entries()) {
      const state = found[index]?.[0];
      if (state !== undefined) this.#states.set(key, state);
    }
  }

  /** The answer to a create whose proposal is not open. */
  find(create: ProposedCreate): CreateOutcome | undefined {
    if (create.proposalId === undefined) return undefined;
    const known = this.#states.get(keyOf(create));
    if (known === undefined) return { kind: 'proposal-absent' };
    if (known.report_id !== null) return { kind: 'replayed', id: known.report_id };
    if (known.state === 'dismissed') return { kind: 'proposal-dismissed' };
    const same = this.#created.get(contentOf(create));
    if (same === undefined) return undefined;
    this.#report(create, create.proposalId, same);
    return { kind: 'replayed', id: same.id };
  }

  add(create: ProposedCreate, created: { readonly id: string; readonly serviceId: number }): void {
    // Most batches have no proposal.
    if (this.#states.size === 0) return;
    this.#created.set(contentOf(create), created);
    if (create.proposalId !== undefined) this.#report(create, create.proposalId, created);
  }

  #report(
    create: ProposedCreate,
    id: string,
    { id: report_id, serviceId: service_id }: { readonly id: string; readonly serviceId: number },
  ): void {
    this.#states.set(keyOf(create), { state: 'reported', report_id });
    const changed_at = create.reportedAt.toISOString();
    this.#reported.push({ id, service_id, report_id, changed_at });
  }

  *write(): UnitOfWork<void> {
    yield* each(updateReported, this.#reported);
  }
}

function contentOf({ reporterId, service, sha256, c2 }: ProposedCreate): string {
  return `${reporterId} ${service} ${sha256} ${formatC2Address(c2)}`;
}

function keyOf({ reporterId, proposalId }: ProposedCreate): string {
  return `${reporterId} ${proposalId}`;
}
