import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { EvidenceTab } from './evidence-tab.tsx';
import type { LookedUpFile } from './file.ts';
import styles from './file-page.module.css';
import { InsideTab } from './inside-tab.tsx';
import { JsonTab } from './json-tab.tsx';
import { OverviewTab } from './overview-tab.tsx';
import { ReportsTab } from './reports-tab.tsx';
import { SettingsTab } from './settings-tab.tsx';
import { SimilarTab } from './similar-tab.tsx';
import { StructureTab } from './structure-tab.tsx';

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
    count: ({ report }) =>
      Object.values(report.configs).reduce((sum, config) => sum + Object.keys(config).length, 0),
    content: ({ report }) => <SettingsTab configs={report.configs} />,
  },
  {
    id: 'structure',
    label: 'Structure',
    content: ({ report, details }) => (
      <StructureTab facts={details.facts} sizeBytes={report.sizeInBytes} />
    ),
  },
  {
    id: 'evidence',
    label: 'Evidence',
    count: ({ details }) => details.evidence.length,
    content: ({ details }) => <EvidenceTab details={details} />,
  },
  {
    id: 'inside',
    label: 'Inside',
    count: ({ details }) => details.members.length,
    content: ({ details }) => <InsideTab members={details.members} />,
  },
  {
    id: 'similar',
    label: 'Similar',
    price: '1 unit',
    content: ({ report }) => <SimilarTab hash={report.sha256Hash} />,
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
  return (
    <div className={styles['columns']}>
      <nav className={styles['tabs']} aria-label="Parts of the analysis">
        {TABS.map(({ id, label, count, price }) => (
          <Link
            key={id}
            to="."
            search={{ tab: id === OVERVIEW.id ? undefined : id }}
            replace
            resetScroll={false}
            className={styles['tab']}
            aria-current={id === shown.id ? 'page' : undefined}
          >
            {label}
            {count !== undefined && <span className={styles['count']}>{count(file)}</span>}
            {price !== undefined && id !== shown.id && (
              <span className={styles['count']} title="Opening this tab costs one lookup">
                {price}
              </span>
            )}
          </Link>
        ))}
      </nav>
      <div className={styles['content']}>{shown.content(file)}</div>
    </div>
  );
}
