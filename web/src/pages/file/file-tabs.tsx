import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { reportsOfFileQuery, similarQuery } from '../../api/files.ts';
import { EvidenceTab } from './evidence-tab.tsx';
import type { LookedUpFile } from './file.ts';
import styles from './file-page.module.css';
import { InsideTab } from './inside-tab.tsx';
import { JsonTab } from './json-tab.tsx';
import { OverviewTab } from './overview-tab.tsx';
import { ReportsTab } from './reports-tab.tsx';
import { SettingsTab } from './settings-tab.tsx';
import { SimilarTab, useLookForSimilar } from './similar-tab.tsx';
import { StructureTab } from './structure-tab.tsx';
import { settingsOf } from './verdict.ts';

interface Tab {
  readonly id: string;
  readonly label: string;
  /** How much the tab holds. */
  readonly count?: (file: LookedUpFile) => number;
  /** What opening it costs. */
  readonly price?: string;
  readonly content: (file: LookedUpFile) => ReactNode;
}

const OVERVIEW: Tab = {
  id: 'overview',
  label: 'Overview',
  content: (file) => <OverviewTab file={file} />,
};

const TABS: readonly Tab[] = [
  OVERVIEW,
  {
    id: 'settings',
    label: 'Settings',
    count: ({ report }) => settingsOf(report),
    content: (file) => <SettingsTab file={file} />,
  },
  {
    id: 'structure',
    label: 'Structure',
    content: (file) => <StructureTab file={file} />,
  },
  {
    id: 'evidence',
    label: 'Evidence',
    count: ({ details }) => details.evidence.length,
    content: (file) => <EvidenceTab file={file} />,
  },
  {
    id: 'inside',
    label: 'Inside',
    count: ({ details }) => details.members.length,
    content: (file) => <InsideTab file={file} />,
  },
  {
    id: 'similar',
    label: 'Similar',
    price: '1 unit',
    content: ({ report, details }) => (
      <SimilarTab hash={report.sha256Hash} hasTlsh={details.tlsh !== undefined} />
    ),
  },
  {
    id: 'reports',
    label: 'Reports',
    content: ({ report }) => <ReportsTab sha256={report.sha256Hash} />,
  },
  { id: 'json', label: 'JSON', content: (file) => <JsonTab file={file} /> },
];

interface Props {
  readonly file: LookedUpFile;
  readonly tab: string | undefined;
}

export function FileTabs({ file, tab }: Props) {
  const shown = TABS.find(({ id }) => id === tab) ?? OVERVIEW;
  const { sha256Hash } = file.report;
  const { data: reports } = useQuery(reportsOfFileQuery(sha256Hash));
  const { data: similar } = useQuery({ ...similarQuery(sha256Hash), enabled: false });
  const lookForSimilar = useLookForSimilar(sha256Hash);
  const noteOf = ({ id, count, price }: Tab) => {
    if (id === 'reports')
      return reports && `${reports.reports.length}${reports.hasMore ? '+' : ''}`;
    if (id === 'similar' && similar !== undefined) return similar.similar.length;
    return count?.(file) ?? price;
  };
  return (
    <div className={styles['columns']}>
      <nav className={styles['tabs']} aria-label="Parts of the analysis">
        {TABS.map((one) => (
          <Link
            key={one.id}
            to="."
            search={{ tab: one.id === OVERVIEW.id ? undefined : one.id }}
            replace
            resetScroll={false}
            className={styles['tab']}
            activeOptions={{ exact: true, includeSearch: true, explicitUndefined: true }}
            // The address of the overview has no tab, which the router does not count as active.
            aria-current={one.id === shown.id ? 'page' : undefined}
            title={one.price && 'Opening this tab costs one unit'}
            onClick={() => one.id === 'similar' && lookForSimilar()}
          >
            {one.label}
            <span className={styles['count']}>{noteOf(one)}</span>
          </Link>
        ))}
      </nav>
      <div className={styles['content']}>{shown.content(file)}</div>
    </div>
  );
}
