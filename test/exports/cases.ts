import { readdirSync, readFileSync } from 'node:fs';
import { allowListOf } from '../../src/domain/lists/allow-list.ts';
import type { KnownAs } from '../../src/domain/lists/list-kind.ts';
import type { ExportedReport } from '../../src/domain/reports/exported-report.ts';
import type { ExportContext, ExportedService } from '../../src/exports/exporter.ts';
import { exportContext, exportedReport, exportedService, type PartialReport } from './reports.ts';

/**
 * The reports of the golden files and of the validators. `golden/<name>.json` has those of a case,
 * and in `context` what differs from the usual context.
 */
export interface ExportCase {
  readonly name: string;
  readonly reports: readonly ExportedReport[];
  readonly context: ExportContext;
}

interface CaseFile {
  readonly context?: Partial<Omit<ExportContext, 'services' | 'lists'>> & {
    readonly allowed?: readonly string[];
  };
  /** The known hosts and files. */
  readonly lists?: readonly (KnownAs & { readonly entries: readonly string[] })[];
  /** Instead of the usual service. */
  readonly services?: readonly Partial<ExportedService>[];
  readonly reports: readonly PartialReport[];
}

/** With those that are too long to review. */
export function validatedCases(): readonly ExportCase[] {
  mixed ??= mixedCase();
  return [...CASES, mixed];
}

let mixed: ExportCase | undefined;

export const GOLDEN = `${import.meta.dirname}/golden/`;

export const CASES: readonly ExportCase[] = readdirSync(GOLDEN)
  .filter((file) => file.endsWith('.json'))
  .sort()
  .map((file) => caseOf(file.slice(0, -'.json'.length), readFileSync(`${GOLDEN}${file}`, 'utf8')));

function caseOf(name: string, text: string): ExportCase {
  const {
    context: { allowed = [], ...context } = {},
    services,
    reports,
    ...rest
  }: CaseFile = JSON.parse(text);
  const lists = allowListOf(allowed);
  for (const { entries, ...list } of rest.lists ?? [])
    lists.addEntries(lists.addList(list), entries);
  const all = services?.map(exportedService).map((one) => [one.slug, one] as const);
  return {
    name,
    reports: reports.map((report, index) => exportedReport(index + 1, report)),
    context: exportContext({ ...context, lists, ...(all && { services: new Map(all) }) }),
  };
}

const HOSTS: readonly ((number: number) => string)[] = [
  (number) => `m${number}.ply.example`,
  (number) => `m${number % 7}.ply.example`,
  (number) => `45.${number % 256}.7.${number % 11}`,
  (number) => `[2a01:${(number % 300).toString(16)}::${(number % 5).toString(16)}]`,
  (number) => `10.0.0.${number % 256}`,
  (number) => `11.22.33.${number % 256}`,
  () => 'tunnel.ply.example',
  (number) => `long-${'x'.repeat(number % 58)}.${'y'.repeat(63)}.evil.example`,
];
const STATUSES = ['open', 'open', 'acknowledged', 'actioned', 'rejected', 'expired'] as const;

/** More elements than a statement of nftables holds. */
function mixedCase(): ExportCase {
  const reports = Array.from({ length: 20_000 }, (_, index) => {
    const host = HOSTS[index % HOSTS.length]?.(index) ?? '';
    const status = STATUSES[(index * 7) % STATUSES.length] ?? 'open';
    return exportedReport(index + 1, { c2: `${host}:${1 + ((index * 31) % 65_535)}`, status });
  });
  return { name: 'mixed', reports, context: exportContext() };
}
