import { Link } from '@tanstack/react-router';
import type { ExtendedReport } from '../../../../src/client/wire.ts';
import { Address } from '../../components/address.tsx';
import type { Column } from '../../components/data-table.tsx';
import { Tag } from '../../components/heat.tsx';
import { Status } from '../../components/status.tsx';
import { Time } from '../../components/time.tsx';
import { visible } from '../../text/visible.ts';
import styles from './feed-page.module.css';

const SHOWN_TAGS = 3;

/** The columns of a list of reports. */
export const REPORT_COLUMNS: readonly Column<ExtendedReport>[] = [
  {
    id: 'status',
    head: 'Status',
    width: '128px',
    cell: ({ status }) => <Status status={status} />,
  },
  {
    id: 'c2',
    head: 'C2',
    width: 'minmax(150px, 2.4fr)',
    cell: ({ c2Address }) => <Address value={c2Address} />,
  },
  {
    id: 'name',
    head: 'Name',
    width: 'minmax(90px, 1.2fr)',
    from: 'medium',
    cell: ({ service, id, name }) => (
      <Link to="/feeds/$service/reports/$id" params={{ service, id }}>
        {visible(name)}
      </Link>
    ),
  },
  {
    id: 'tags',
    head: 'Tags',
    width: 'minmax(120px, 1.6fr)',
    from: 'wide',
    cell: ({ tags }) => <Tags tags={tags} />,
  },
  {
    id: 'confidence',
    head: 'Confidence',
    width: '80px',
    align: 'right',
    from: 'wide',
    cell: ({ confidenceScore }) => confidenceScore,
  },
  {
    id: 'sightings',
    head: 'Sightings',
    width: '72px',
    align: 'right',
    from: 'wide',
    cell: ({ sightings }) => sightings,
  },
  {
    id: 'reporter',
    head: 'Reporter',
    width: 'minmax(90px, 1fr)',
    from: 'medium',
    cell: ({ reportedBy }) => visible(reportedBy),
  },
  {
    id: 'age',
    head: 'Reported',
    width: '92px',
    align: 'right',
    cell: ({ service, id, reportedAt }) => (
      <Link to="/feeds/$service/reports/$id" params={{ service, id }}>
        <Time at={reportedAt} />
      </Link>
    ),
  },
];

function Tags({ tags }: { readonly tags: readonly string[] }) {
  const more = tags.length - SHOWN_TAGS;
  return (
    <span className={styles['tags']}>
      {tags.slice(0, SHOWN_TAGS).map((tag) => (
        <Tag key={tag} name={tag} />
      ))}
      {more > 0 && <span title={tags.slice(SHOWN_TAGS).map(visible).join(', ')}>+{more}</span>}
    </span>
  );
}
