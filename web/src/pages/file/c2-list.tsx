import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { routeQuery } from '../../api/files.ts';
import { isResearcher, useMe } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { Address } from '../../components/identifiers/address.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import type { LookedUpFile } from './file.ts';
import styles from './overview.module.css';
import { IMPORTED } from './verdict.ts';

const SHOWN = 9;

interface Props {
  readonly c2s: readonly string[];
  readonly sha256: string;
  readonly isImported: boolean;
}

/** Where the file talks to, and who can take each address down. */
export function C2List({ c2s, sha256, isImported }: Props) {
  const [showsAll, setShowsAll] = useState(false);
  if (c2s.length === 0)
    return (
      <p className={styles['quiet']}>
        {isImported ? IMPORTED : 'No C2 address was found in its settings.'}
      </p>
    );
  const shown = showsAll ? c2s : c2s.slice(0, SHOWN);
  return (
    <>
      <ul className={styles['c2s']}>
        {shown.map((c2) => (
          <C2 key={c2} c2={c2} sha256={sha256} />
        ))}
      </ul>
      {shown.length < c2s.length && (
        <div>
          <Button size="small" look="quiet" onClick={() => setShowsAll(true)}>
            Show all {c2s.length}
          </Button>
        </div>
      )}
    </>
  );
}

function C2({ c2, sha256 }: { readonly c2: string; readonly sha256: string }) {
  const { data } = useQuery(routeQuery(c2));
  const mayReport = isResearcher(useMe());
  const service = data?.service ?? undefined;
  return (
    <li>
      <Address value={c2} />
      <span className={styles['route']}>
        {data !== undefined && service === undefined && (
          <span className={styles['quiet']} title="No service has declared this address">
            → no feed
          </span>
        )}
        {service !== undefined && (
          <>
            → feed{' '}
            <Link to="/feeds/$service" params={{ service }}>
              {service}
            </Link>{' '}
            <span className={styles['quiet']}>
              ({data?.verified === true ? 'verified' : 'declared'})
            </span>
          </>
        )}
      </span>
      {service !== undefined && mayReport && (
        <LinkButton
          size="small"
          to="/feeds/$service/new"
          params={{ service }}
          search={{ c2, hash: sha256 }}
        >
          Report this
        </LinkButton>
      )}
    </li>
  );
}

/** The addresses of a file as `host:port`, each once. */
export function addressesOf({ c2s = [] }: LookedUpFile['details']): readonly string[] {
  const texts = c2s.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`);
  return [...new Set(texts)];
}
