import { sql } from 'kysely';
import { type C2Address, formatC2Address } from '../../../domain/reports/c2-address.ts';
import type { Report } from '../../../domain/reports/report.ts';
import type { CreateOutcome } from '../../../ports/report-store.ts';
import type { ProposalRow } from '../../tables.ts';
import { each, query, type UnitOfWork } from '../../unit-of-work.ts';
import { unindexedText } from '../unindexed-columns.ts';

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

interface ByHandValues {
  sha256: Uint8Array;
  account_id: string;
  service_id: number;
  host: string;
  port: number;
  /** 1 if that service answers for the C2, else 0. */
  isRouted: number;
  report_id: string;
  changed_at: string;
}

/** One of another service moves to that of the report, unless the account has one there too. */
const updateByHand = query<ByHandValues>()((db, parameter) =>
  db
    .updateTable('proposal')
    .set({
      state: 'reported',
      service_id: parameter.service_id,
      report_id: parameter.report_id,
      changed_at: parameter.changed_at,
    })
    .where('sha256', '=', parameter.sha256)
    .where('account_id', '=', parameter.account_id)
    .where('host', '=', parameter.host)
    .where('port', '=', parameter.port)
    .where(unindexedText('state'), '=', 'open')
    .where(
      sql<boolean>`(service_id = ${parameter.service_id} or (
        ${parameter.isRouted} = 1 and not exists (
          select 1 from proposal as other
          where other.sha256 = ${parameter.sha256} and other.account_id = ${parameter.account_id}
            and other.service_id = ${parameter.service_id}
            and other.host = ${parameter.host} and other.port = ${parameter.port}
        )
      ))`,
    ),
);

/** A report that its reporter created without the proposal. */
export interface ReportByHand {
  readonly report: Pick<Report, 'id' | 'sha256' | 'reporterId' | 'c2' | 'reportedAt'>;
  readonly serviceId: number;
  readonly isRouted: boolean;
}

/** Open proposals of the same C2 and file become reported. */
export function* markReportedByHand(reports: readonly ReportByHand[]): UnitOfWork<void> {
  yield* each(
    updateByHand,
    reports.map(({ report, serviceId, isRouted }) => ({
      sha256: Buffer.from(report.sha256, 'hex'),
      account_id: report.reporterId,
      service_id: serviceId,
      host: report.c2.host,
      port: report.c2.port,
      isRouted: Number(isRouted),
      report_id: report.id,
      changed_at: report.reportedAt.toISOString(),
    })),
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
