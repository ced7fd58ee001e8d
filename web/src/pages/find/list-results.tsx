import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { client } from '../../api/client.ts';
import { Address } from '../../components/identifiers/address.tsx';
import { Hash } from '../../components/identifiers/hash.tsx';
import { Heat } from '../../components/marks/heat.tsx';
import { Status } from '../../components/marks/status.tsx';
import { Time } from '../../components/marks/time.tsx';
import { Page } from '../../components/page.tsx';
import { MAX_LINES } from '../../components/search/search-list.ts';
import { Failure, Skeleton } from '../../components/states.tsx';
import { count } from '../../text/format.ts';
import { brief } from '../../text/visible.ts';
import { ExportButtons } from './export-buttons.tsx';
import type { Answer, Found } from './exported-results.ts';
import styles from './find-page.module.css';
import { ListForm } from './list-form.tsx';
import { nameOfMatch } from './matches.ts';

const RESULTS_OF_LINE = 5;
const SHOWN_CHARACTERS = 100;
const SHOWN_TAGS = 3;

/** Free, like a search. */
function listQuery(lines: readonly string[]) {
  return queryOptions({
    queryKey: ['search-list', lines],
    queryFn: () => client.searchList(lines, { limit: RESULTS_OF_LINE }),
    staleTime: 10_000,
    refetchOnMount: true,
  });
}

/** What is known of each line of a list. */
export function ListResults({ lines: all }: { readonly lines: readonly string[] }) {
  const lines = all.slice(0, MAX_LINES);
  const { data, error, refetch } = useQuery(listQuery(lines));
  return (
    <Page title={`Search for ${count(lines.length, 'line')}`}>
      <details>
        <summary>Change the list</summary>
        <ListForm key={lines.join('\n')} lines={lines} />
      </details>
      {all.length > lines.length && (
        <p className={styles['counts']}>
          Only the first {MAX_LINES} lines are searched; the link has {count(all.length, 'line')}.
        </p>
      )}
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <Skeleton lines={8} label="Searching" />}
      {data !== undefined && (
        <>
          <p role="status" className={styles['counts']}>
            {summaryOf(data.answers)}
          </p>
          <ExportButtons answers={data.answers} json={data} />
          <ul className={styles['list']} aria-label="Lines">
            {data.answers.map((answer) => (
              <Line key={answer.query} answer={answer} />
            ))}
          </ul>
        </>
      )}
    </Page>
  );
}

function summaryOf(answers: readonly Answer[]): string {
  const known = answers.filter(({ results }) => results.length > 0).length;
  const unread = answers.filter(({ error }) => error !== undefined).length;
  return [
    `${known} of ${count(answers.length, 'line')} ${known === 1 ? 'is' : 'are'} known.`,
    unread > 0 && `${count(unread, 'line')} could not be read.`,
  ]
    .filter(Boolean)
    .join(' ');
}

function Line({ answer: { query, results, hasMore, error } }: { readonly answer: Answer }) {
  return (
    <li className={styles['line']}>
      <code className={styles['lineText']}>
        <Link to="/find" search={{ q: query }}>
          {brief(query, SHOWN_CHARACTERS)}
        </Link>
      </code>
      {results.length === 0 ? (
        <span className={styles['quiet']}>{error ?? 'Nothing is known.'}</span>
      ) : (
        <ul>
          {results.map((found) => (
            <li key={keyOf(found)} className={styles['lineResult']}>
              <Result found={found} />
            </li>
          ))}
          {hasMore && (
            <li className={styles['quiet']}>
              <Link to="/find" search={{ q: query }}>
                There may be more
              </Link>
            </li>
          )}
        </ul>
      )}
    </li>
  );
}

function Result({ found }: { readonly found: Found }) {
  const match = <span className={styles['quiet']}>{nameOfMatch(found.match)}</span>;
  if (found.type === 'sample')
    return (
      <>
        <span>File</span>
        <Hash value={found.sha256Hash} kind="SHA-256" isShort isLinked />
        <span className={styles['name']}>{brief(found.fileName, SHOWN_CHARACTERS)}</span>
        <span className={styles['tags']}>
          {found.tags.slice(0, SHOWN_TAGS).map((tag) => (
            <Heat key={tag.name} {...tag} />
          ))}
        </span>
        {match}
      </>
    );
  const { id, service, status, c2Address, name, reportedAt } = found.report;
  return (
    <>
      <Status status={status} />
      <Address value={c2Address} />
      <span className={styles['name']}>
        <Link to="/feeds/$service/reports/$id" params={{ service, id }}>
          {brief(name, SHOWN_CHARACTERS)}
        </Link>
      </span>
      <span className={styles['quiet']}>
        {service} · <Time at={reportedAt} />
      </span>
      {match}
    </>
  );
}

function keyOf(found: Found): string {
  return found.type === 'sample' ? found.sha256Hash : found.report.id;
}
