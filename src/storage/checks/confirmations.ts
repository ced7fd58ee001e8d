import { sql } from 'kysely';
import type { Confirmation } from '../../domain/reports/confirmation.ts';
import { evidenceOf } from '../tables/samples/evidence.ts';
import { EVIDENCE_BACK_FILL } from '../transactions/services/reroute-reports.ts';
import { backFillPosition } from '../units/back-fill.ts';
import { each, rows, type UnitOfWork } from '../units/unit-of-work.ts';
import { pagedCheck, statement } from './check.ts';

const PAGE = 1000;

interface JudgedReport {
  readonly number: number;
  readonly id: string;
  readonly sha256: string;
  readonly host: string;
  readonly port: number;
  readonly confirmation: Confirmation;
}

const selectReports = statement<JudgedReport, { after: number; limit: number }>(
  (parameter) => sql`
    select number, id, sha256, host, port, confirmation from report
    where number > ${parameter.after} order by number limit ${parameter.limit}`,
);

const selectPending = statement<{ sha256: string }, { sha256: string }>(
  (parameter) => sql`select sha256 from pending_rename where sha256 = ${parameter.sha256}`,
);

/** The confirmation of a report is what the analysis of its file says about its C2. */
export const confirmations = pagedCheck('confirmations of reports', {
  page: (after) => rows(selectReports, { after: Number(after ?? 0), limit: PAGE }),
  keyOf: ({ number }) => number,
  *findingsIn(found) {
    const evidence = yield* evidenceOf(found);
    const wrong = found.flatMap((report, index) => {
      const expected = evidence[index]?.confirmation ?? 'unknown';
      return report.confirmation === expected ? [] : [{ report, expected }];
    });
    const pending = yield* pendingAmong(wrong.map(({ report }) => report));
    return wrong
      .filter(({ report }) => !pending.has(report.number))
      .map(
        ({ report: { id, confirmation }, expected }) =>
          `report ${id}: it is ${confirmation}, but its file says ${expected}`,
      );
  },
});

/** Reports that housekeeping has yet to bring up to date. */
function* pendingAmong(reports: readonly JudgedReport[]): UnitOfWork<ReadonlySet<number>> {
  if (reports.length === 0) return new Set();
  // Reports with a lower number were not visited yet.
  const before = (yield* backFillPosition(EVIDENCE_BACK_FILL)) ?? 0;
  const files = yield* each(
    selectPending,
    reports.map(({ sha256 }) => ({ sha256 })),
  );
  const pending = reports.filter(
    ({ number }, index) => number < before || files[index]?.[0] !== undefined,
  );
  return new Set(pending.map(({ number }) => number));
}
