import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Info } from 'lucide-react';
import { type FormEvent, lazy, Suspense, useState } from 'react';
import type { AuditEntry } from '../../../../src/client/wire.ts';
import { auditQuery } from '../../api/admin.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { Chip } from '../../components/marks/chip.tsx';
import { Time } from '../../components/marks/time.tsx';
import { Section } from '../../components/page.tsx';
import { useScreenWidth } from '../../components/screen-width.ts';
import { Empty, Failure, Skeleton } from '../../components/states.tsx';
import { type Column, DataTable } from '../../components/table/data-table.tsx';
import { excerpt, visible } from '../../text/visible.ts';
import styles from './admin-page.module.css';
import { AUDIT_FILTERS, type AuditFilter, type AuditFilterName } from './admin-search.ts';
import { detailText } from './detail-text.ts';

const route = getRouteApi('/signed-in/admin');
const AuditDialog = lazy(() => import('./audit-dialog.tsx'));
const TWO_LINES = 58;
/** More would not fit into a row of any screen. */
const MAX_SHOWN = 400;

const HINTS: Readonly<Record<AuditFilterName, string>> = {
  actor: 'alice, command line',
  action: 'account, token.issue',
  subject: 'the name or id it changed',
};

/** The administrative actions, newest first. The filters are in the URL. */
export function AuditLog() {
  const { actor, action, subject } = route.useSearch();
  const navigate = route.useNavigate();
  const filter: AuditFilter = { actor, action, subject };
  const isFiltered = AUDIT_FILTERS.some((name) => filter[name] !== undefined);
  const list = useInfiniteQuery(auditQuery(filter));
  const [shown, setShown] = useState<AuditEntry>();
  const isNarrow = useScreenWidth() === 'narrow';
  const entries = (list.data?.pages ?? []).flatMap((page) => page.entries);
  const change = (next: AuditFilter) => void navigate({ search: { section: 'audit', ...next } });
  return (
    <Section title="Audit log">
      <FilterForm filter={filter} onChange={change} />
      {list.error !== null && entries.length === 0 && (
        <Failure error={list.error} onRetry={() => void list.refetch()} />
      )}
      {list.isPending && <Skeleton lines={12} label="Loading the audit log" />}
      {list.data !== undefined && entries.length === 0 && !list.hasNextPage && (
        <Empty title={isFiltered ? 'No action matches' : 'Nothing was done yet'}>
          <p>
            {isFiltered
              ? 'Filters match the whole text; an action also matches by the part before its dot.'
              : 'Every change of services, accounts, tokens and samples is recorded here.'}
          </p>
        </Empty>
      )}
      {entries.length > 0 && (
        <DataTable
          label="Administrative actions, newest first"
          columns={columnsOf({ filter, isNarrow, onShow: setShown })}
          rows={entries}
          {...(isNarrow && { rowHeight: TWO_LINES })}
          keyOf={({ id }) => String(id)}
          onEnd={() => {
            // A search without results continues only on request.
            const last = list.data?.pages.at(-1);
            if (list.hasNextPage && !list.isFetchingNextPage && last?.entries.length !== 0)
              void list.fetchNextPage();
          }}
        />
      )}
      {list.hasNextPage && (
        <div>
          <Button
            size="small"
            disabled={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            {isFiltered ? 'Search older actions' : 'Show older actions'}
          </Button>
        </div>
      )}
      {list.isFetchNextPageError && (
        <Failure error={list.error} onRetry={() => void list.fetchNextPage()} />
      )}
      {shown !== undefined && (
        <Suspense fallback={null}>
          <AuditDialog entry={shown} onClose={() => setShown(undefined)} />
        </Suspense>
      )}
    </Section>
  );
}

interface FilterProps {
  readonly filter: AuditFilter;
  readonly onChange: (filter: AuditFilter) => void;
}

function FilterForm({ filter, onChange }: FilterProps) {
  const [name, setName] = useState<AuditFilterName>('actor');
  const [value, setValue] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (value.trim() === '') return;
    onChange({ ...filter, [name]: value.trim() });
    setValue('');
  };
  return (
    <div className={styles['tools']}>
      <form className={styles['filterForm']} onSubmit={submit}>
        <select
          aria-label="Filter by"
          value={name}
          onChange={({ target }) => setName(target.value as AuditFilterName)}
        >
          {AUDIT_FILTERS.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        <input
          aria-label={`The ${name} to filter by`}
          placeholder={HINTS[name]}
          value={value}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => setValue(target.value)}
        />
        <Button type="submit">Filter</Button>
      </form>
      {AUDIT_FILTERS.map((one) => {
        const text = filter[one];
        return (
          text !== undefined && (
            <Chip
              key={one}
              name={one}
              value={visible(text)}
              onRemove={() => onChange({ ...filter, [one]: undefined })}
            />
          )
        );
      })}
    </div>
  );
}

interface ColumnOptions {
  readonly filter: AuditFilter;
  readonly isNarrow: boolean;
  readonly onShow: (entry: AuditEntry) => void;
}

function columnsOf({ filter, isNarrow, onShow }: ColumnOptions): readonly Column<AuditEntry>[] {
  const link = (name: AuditFilterName, value: string) => (
    <FilterLink filter={filter} name={name} value={value} />
  );
  return [
    {
      id: 'at',
      head: 'When',
      width: '6rem',
      cell: ({ at }) => <Time at={at} />,
    },
    {
      id: 'actor',
      head: 'Actor',
      width: 'minmax(var(--size-22), 1fr)',
      from: 'medium',
      cell: ({ actor }) => link('actor', actor),
    },
    {
      id: 'action',
      head: isNarrow ? 'What and who' : 'Action',
      width: isNarrow ? 'minmax(0, 1fr)' : '9rem',
      cell: ({ action, actor, subject }) =>
        isNarrow ? (
          <span className={styles['two']}>
            <span>
              {link('action', action)} {link('subject', subject)}
            </span>
            <span className={styles['faint']}>{visible(actor)}</span>
          </span>
        ) : (
          link('action', action)
        ),
    },
    {
      id: 'subject',
      head: 'Subject',
      width: 'minmax(var(--size-28), 1.5fr)',
      from: 'medium',
      cell: ({ subject }) => link('subject', subject),
    },
    {
      id: 'detail',
      head: isNarrow ? 'All' : 'Details',
      width: isNarrow ? '2rem' : 'minmax(var(--size-35), 3fr)',
      cell: (entry) => <Detail entry={entry} isNarrow={isNarrow} onShow={onShow} />,
    },
  ];
}

interface FilterLinkProps {
  readonly filter: AuditFilter;
  readonly name: AuditFilterName;
  readonly value: string;
}

/** A value of the log; following it shows only entries with that value. */
function FilterLink({ filter, name, value }: FilterLinkProps) {
  return (
    <Link
      to="/admin"
      search={{ section: 'audit', ...filter, [name]: value }}
      className={styles['filterLink']}
      title={visible(value)}
    >
      {visible(value)}
    </Link>
  );
}

interface DetailProps {
  readonly entry: AuditEntry;
  readonly isNarrow: boolean;
  readonly onShow: (entry: AuditEntry) => void;
}

/** The beginning of the details; all of them are shown in a dialog. */
function Detail({ entry, isNarrow, onShow }: DetailProps) {
  if (isNarrow)
    return (
      <IconButton
        size="small"
        label={`Details of ${entry.action} ${visible(entry.subject)}`}
        icon={<Info aria-hidden />}
        onClick={() => onShow(entry)}
      />
    );
  const text = Object.entries(entry.detail)
    .filter(([name]) => name !== 'id')
    .map(([name, value]) => `${name}: ${detailText(value)}`)
    .join(' · ');
  return (
    <button
      type="button"
      className={`${styles['mono']} ${styles['cellButton']}`}
      onClick={() => onShow(entry)}
    >
      {text === '' ? '–' : excerpt(visible(text), MAX_SHOWN).text}
    </button>
  );
}
