import { Link } from '@tanstack/react-router';
import type { ExtendedReport } from '../../../../src/client/wire.ts';
import { Address } from '../../components/identifiers/address.tsx';
import { Confidence } from '../../components/marks/confidence.tsx';
import { Confirmation, Misrouted } from '../../components/marks/confirmation.tsx';
import { Status } from '../../components/marks/status.tsx';
import { TagRow } from '../../components/marks/tag-row.tsx';
import { Time } from '../../components/marks/time.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import { visible } from '../../text/visible.ts';
import styles from './feed-page.module.css';
import { FilterLink } from './filter-link.tsx';

const FEED: Column<ExtendedReport> = {
  id: 'feed',
  head: 'Feed',
  width: 'minmax(var(--size-18), 0.8fr)',
  from: 'medium',
  cell: ({ service }) => (
    <Link to="/feeds/$service" params={{ service }} preload={false}>
      {service}
    </Link>
  ),
};

const CONFIDENCE: Column<ExtendedReport> = {
  id: 'confidence',
  head: 'Confidence',
  width: '6.4rem',
  align: 'right',
  from: 'wide',
  cell: ({ service, confidenceScore }) => <Confidence service={service} score={confidenceScore} />,
};

/** The columns of a list of reports. Links in rows with arrow keys are not tab stops. */
function columnsOf(isInRow: boolean): readonly Column<ExtendedReport>[] {
  const tabIndex = isInRow ? -1 : 0;
  return [
    {
      id: 'status',
      head: 'Status',
      width: '8.5rem',
      cell: ({ status }) => <Status status={status} />,
    },
    {
      id: 'c2',
      head: 'C2',
      width: 'minmax(var(--size-30), 2.6fr)',
      cell: (report) => (
        <span className={styles['c2']}>
          <Address value={report.c2Address} isInRow={isInRow} />
          <Misrouted report={report} />
        </span>
      ),
    },
    ...(isInRow ? [] : [FEED]),
    {
      id: 'name',
      head: 'Name',
      width: 'minmax(var(--size-18), 1.2fr)',
      from: 'medium',
      cell: (report) => (
        <Link {...pageOf(report)} tabIndex={tabIndex} title={visible(report.name)}>
          {visible(report.name)}
        </Link>
      ),
    },
    {
      id: 'confirmation',
      head: 'Confirmation',
      width: '7.6rem',
      // On tablets it takes the room of the reporter; over all feeds, the feed needs that room.
      from: isInRow ? 'medium' : 'wide',
      cell: ({ confirmation }) => <Confirmation value={confirmation} />,
    },
    {
      id: 'tags',
      head: 'Tags',
      width: 'minmax(var(--size-30), 2fr)',
      from: 'wide',
      cell: (report) => <Tags report={report} tabIndex={tabIndex} />,
    },
    CONFIDENCE,
    {
      id: 'sightings',
      head: 'Sightings',
      width: '4.9rem',
      align: 'right',
      from: 'wide',
      cell: ({ sightings }) => sightings,
    },
    {
      id: 'reporter',
      head: 'Reporter',
      width: 'minmax(var(--size-22), 1fr)',
      from: isInRow ? 'wide' : 'medium',
      cell: ({ service, reportedBy }) => (
        <FilterLink service={service} name="reporter" value={reportedBy} tabIndex={tabIndex}>
          {visible(reportedBy)}
        </FilterLink>
      ),
    },
    {
      id: 'age',
      head: 'Reported',
      width: '6.8rem',
      align: 'right',
      cell: (report) =>
        isInRow ? (
          <Time at={report.reportedAt} />
        ) : (
          <Link {...pageOf(report)}>
            <Time at={report.reportedAt} />
          </Link>
        ),
    },
  ];
}

/** For lists over all feeds, whose column takes the room of another. */
export const REPORT_COLUMNS = columnsOf(false).filter(({ id }) => id !== 'sightings');
/** For the list of one feed, whose rows the arrow keys reach. */
export const FEED_COLUMNS = columnsOf(true);

interface NarrowProps {
  readonly report: ExtendedReport;
  readonly isInRow: boolean;
}

/** A report on a narrow screen: what it is, and below it what became of it. */
function Narrow({ report, isInRow }: NarrowProps) {
  return (
    <div className={styles['narrow']}>
      <div className={styles['narrowLine']}>
        <Address value={report.c2Address} isInRow={isInRow} />
        <Link {...pageOf(report)} tabIndex={isInRow ? -1 : 0}>
          <Time at={report.reportedAt} />
        </Link>
      </div>
      <div className={styles['narrowLine']}>
        <Status status={report.status} />
        <Confirmation value={report.confirmation} />
        <Misrouted report={report} />
        <span className={styles['narrowName']}>{visible(report.name)}</span>
        <span className={styles['narrowReporter']}>{visible(report.reportedBy)}</span>
      </div>
    </div>
  );
}

/** In a row that the arrow keys reach. */
export function NarrowReport(report: ExtendedReport) {
  return <Narrow report={report} isInRow />;
}

/** In a table whose links the tab key reaches. */
export function NarrowLinks(report: ExtendedReport) {
  return <Narrow report={report} isInRow={false} />;
}

/** The page of a report. It is not preloaded: the pointer passes over many rows. */
export function pageOf({ service, id }: ExtendedReport) {
  return { to: '/feeds/$service/reports/$id', params: { service, id }, preload: false } as const;
}

interface TagsProps {
  readonly report: ExtendedReport;
  readonly tabIndex: number;
}

function Tags({ report: { service, tags }, tabIndex }: TagsProps) {
  return (
    <TagRow
      tags={tags}
      link={(tag, shown) => (
        <FilterLink service={service} name="tag" value={tag} tabIndex={tabIndex}>
          {shown}
        </FilterLink>
      )}
    />
  );
}
