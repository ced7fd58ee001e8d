import {
  type NamedProposal,
  proposalRefusal,
  proposalReportedBy,
} from '../../../domain/proposals/decide-proposal.ts';
import { type C2Address, formatC2Address } from '../../../domain/reports/c2-address.ts';
import type { Report } from '../../../domain/reports/report.ts';
import type { CreateOutcome } from '../../../ports/report-store.ts';
import { query } from '../../units/query.ts';
import { unindexedText } from '../../units/unindexed-columns.ts';
import { each, eachDeferred, type UnitOfWork } from '../../units/unit-of-work.ts';
import { type OwnProposal, proposalsOfFiles } from './proposals-of-file.ts';

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
  db.updateTable('proposal').set(reported(parameter)).where('id', '=', parameter.id),
);

/** Unless a concurrent dismissal was first. */
const updateOpen = query<ReportedValues>()((db, parameter) =>
  db
    .updateTable('proposal')
    .set(reported(parameter))
    .where('id', '=', parameter.id)
    .where(unindexedText('state'), '=', 'open'),
);

function reported({ service_id, report_id, changed_at }: ReportedValues) {
  return { state: 'reported', service_id, report_id, changed_at } as const;
}

/** A report that its reporter may create without the proposal. */
export interface ReportByHand {
  readonly request: Pick<Report, 'id' | 'sha256' | 'reporterId' | 'c2' | 'reportedAt'>;
  readonly serviceId: number;
  /** Whether the C2 belongs to the feed of that service. */
  readonly isRouted: boolean;
}

/** Reports that confirm a C2 of a file: the open proposal of the same C2 and file is reported. */
export class ReportsByHand {
  readonly #byRequest: Map<ReportByHand['request'], ReportByHand>;
  readonly #proposals = new Map<ReportByHand['request'], readonly OwnProposal[]>();

  constructor(reports: readonly ReportByHand[]) {
    this.#byRequest = new Map(reports.map((one) => [one.request, one]));
  }

  *load(): UnitOfWork<void> {
    const requests = [...this.#byRequest.keys()];
    const found = yield* proposalsOfFiles(
      requests.map(({ sha256, reporterId }) => ({
        sha256: Buffer.from(sha256, 'hex'),
        accountId: reporterId,
      })),
    );
    for (const [index, request] of requests.entries())
      this.#proposals.set(request, found[index] ?? []);
  }

  /** Marks the proposals of the created reports as reported. */
  *write(created: readonly ReportByHand['request'][]): UnitOfWork<void> {
    const written = new Map<string, ReportedValues>();
    for (const request of created) {
      const values = this.#valuesOf(request);
      // The first of several reports of the batch.
      if (values !== undefined && !written.has(values.id)) written.set(values.id, values);
    }
    yield* eachDeferred(updateOpen, [...written.values()]);
  }

  #valuesOf(request: ReportByHand['request']): ReportedValues | undefined {
    const report = this.#byRequest.get(request);
    if (report === undefined) return undefined;
    const { host, port } = request.c2;
    const ofC2 = (this.#proposals.get(request) ?? []).filter(
      (one) => one.host === host && one.port === port,
    );
    const proposal = proposalReportedBy(ofC2.map(toProposal), report);
    if (proposal === undefined) return undefined;
    const changed_at = request.reportedAt.toISOString();
    const { serviceId: service_id } = report;
    return { id: proposal.id, service_id, report_id: request.id, changed_at };
  }
}

function toProposal({ id, state, service_id: serviceId }: OwnProposal) {
  return { id, state, serviceId };
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

/**
 * The proposals that a batch of creates reports. The caller has locked the feeds, and the rows are
 * locked here, so that concurrent creates of the same proposal make one report.
 */
export class ReportedProposals {
  /** By account and id. */
  readonly #states = new Map<string, NamedProposal>();
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
      const row = found[index]?.[0];
      if (row !== undefined)
        this.#states.set(key, { state: row.state, reportId: row.report_id ?? undefined });
    }
  }

  /** The answer to a create whose proposal is not open. */
  find(create: ProposedCreate): CreateOutcome | undefined {
    if (create.proposalId === undefined) return undefined;
    const known = this.#states.get(keyOf(create));
    const refusal = proposalRefusal(known);
    if (refusal !== undefined) return refusal;
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
    this.#states.set(keyOf(create), { state: 'reported', reportId: report_id });
    const changed_at = create.reportedAt.toISOString();
    this.#reported.push({ id, service_id, report_id, changed_at });
  }

  *write(): UnitOfWork<void> {
    yield* eachDeferred(updateReported, this.#reported);
  }
}

function contentOf({ reporterId, service, sha256, c2 }: ProposedCreate): string {
  return `${reporterId} ${service} ${sha256} ${formatC2Address(c2)}`;
}

function keyOf({ reporterId, proposalId }: ProposedCreate): string {
  return `${reporterId} ${proposalId}`;
}
