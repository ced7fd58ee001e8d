import { DAY_MS } from '../../domain/duration.ts';
import type { ExportedReport } from '../../domain/reports/exported-report.ts';
import { foldName } from '../../domain/reports/spellings.ts';
import { firstDay } from '../../domain/utc-days.ts';
import type { Dependencies } from '../dependencies.ts';
import { findReports } from './find-iocs.ts';

const RECENT_DAYS = 7;
/** A report has up to 32 tags, so a list of all would have no useful bound. */
const MAX_LABELS = 2000;

export interface LabelTimes {
  readonly firstSeen: string;
  readonly lastSeen: string;
}

export interface RecentLabels {
  /** Names of reports, in one spelling: those of the last days, then the most frequent of all. */
  readonly names: readonly string[];
  /** When the reports with a tag were made. */
  readonly tags: ReadonlyMap<string, LabelTimes>;
}

/** The names and tags of the newest reports of the last days, over all feeds. */
export async function recentLabels(
  deps: Pick<Dependencies, 'store' | 'now'>,
  isPublished: (report: ExportedReport) => boolean,
): Promise<RecentLabels> {
  const now = deps.now();
  const names = new Map<string, string>();
  const addName = (name: string) => {
    if (!names.has(foldName(name))) names.set(foldName(name), name);
  };
  const tags = new Map<string, LabelTimes>();
  const createdAfter = new Date(now.getTime() - RECENT_DAYS * DAY_MS);
  for await (const reports of findReports(deps, { createdAfter }).parts)
    for (const report of reports.filter(isPublished)) {
      addName(report.name);
      for (const tag of report.tags) addTag(tags, tag, report.reportedAt);
    }
  const { families } = await deps.store.feeds.statistics(undefined, firstDay(now, 1));
  for (const { name } of families) addName(name);
  return { names: [...names.values()], tags };
}

/** Reports come newest first. */
function addTag(tags: Map<string, LabelTimes>, tag: string, at: string): void {
  const known = tags.get(tag);
  if (known === undefined && tags.size >= MAX_LABELS) return;
  tags.set(tag, { firstSeen: at, lastSeen: known?.lastSeen ?? at });
}
