import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { SampleFound } from '../../../../src/client/wire.ts';
import { client } from '../../api/client.ts';
import { forgetKeptUploads, type KeptUpload, keptUploads } from '../../api/kept/uploads.ts';
import { Button } from '../../components/button.tsx';
import { Hash } from '../../components/identifiers/hash.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { Heat } from '../../components/marks/heat.tsx';
import { Time } from '../../components/marks/time.tsx';
import { Section } from '../../components/page.tsx';
import { formatBytes, formatNumber } from '../../text/format.ts';
import { brief, visible } from '../../text/visible.ts';
import styles from './upload-page.module.css';

/** As many as a search for a list answers. */
const SHOWN = 100;
const SHOWN_TAGS = 3;
const NAME_LENGTH = 120;

function keptQuery(account: string) {
  return queryOptions({
    queryKey: ['kept-uploads', account],
    queryFn: () => keptUploads(account),
    refetchOnMount: 'always',
  });
}

/** What is known of these files by now, from search, which is free. */
function resultsQuery(hashes: readonly string[]) {
  return queryOptions({
    queryKey: ['kept-uploads', 'results', hashes],
    queryFn: async () => {
      const { answers } = await client.searchList(hashes, { limit: 1 });
      const samples = answers.flatMap(({ results }) => results.filter(isSample));
      return new Map(samples.map((sample) => [sample.sha256Hash, sample]));
    },
    enabled: hashes.length > 0,
    staleTime: 10_000,
    refetchOnMount: true,
  });
}

function isSample(found: { readonly type: string }): found is SampleFound {
  return found.type === 'sample';
}

interface Props {
  readonly account: string;
  /** The hashes of files that the page shows already. */
  readonly shown: ReadonlySet<string | undefined>;
}

/** Files that were uploaded from this browser before the page was loaded. */
export function EarlierFiles({ account, shown }: Props) {
  const cache = useQueryClient();
  const { data = [] } = useQuery(keptQuery(account));
  // Fixed while the page is open: files of this visit are in the list above it.
  const [openedAt] = useState(() => Date.now());
  const files = data.filter(({ sha256, keptAt }) => keptAt < openedAt && !shown.has(sha256));
  const listed = files.slice(0, SHOWN);
  const { data: results } = useQuery(resultsQuery(listed.map(({ sha256 }) => sha256)));
  if (files.length === 0) return null;
  const forget = async () => {
    await forgetKeptUploads(account);
    await cache.invalidateQueries({ queryKey: keptQuery(account).queryKey });
  };
  return (
    <Section
      title="Your earlier files"
      aside={
        <Button size="small" look="quiet" onClick={() => void forget()}>
          Forget these files
        </Button>
      }
    >
      <ul className={styles['list']} aria-label="Your earlier files">
        {listed.map((file) => (
          <EarlierFile key={file.key} file={file} found={results?.get(file.sha256)} />
        ))}
      </ul>
      {files.length > SHOWN && (
        <p className={styles['quiet']}>and {formatNumber(files.length - SHOWN)} more</p>
      )}
      <p className={styles['quiet']}>
        This browser keeps the list until your session ends. The files stay on the server.
      </p>
    </Section>
  );
}

interface FileProps {
  readonly file: KeptUpload;
  /** `undefined` if it is not analysed, or not known yet. */
  readonly found: SampleFound | undefined;
}

function EarlierFile({ file: { name, sizeBytes, sha256, keptAt }, found }: FileProps) {
  const tags = (found?.tags ?? []).toSorted((one, other) => other.heat - one.heat);
  return (
    <li className={styles['row']}>
      <div className={styles['file']}>
        <span className={styles['name']} title={visible(name)}>
          {brief(name, NAME_LENGTH)}
        </span>
        <span className={styles['quiet']}>{formatBytes(sizeBytes)}</span>
        <Hash value={sha256} kind="SHA-256" isShort />
      </div>
      <div className={styles['state']}>
        <span className={styles['quiet']}>
          <Time at={new Date(keptAt).toISOString()} />
        </span>
        <span className={styles['tags']}>
          {tags.slice(0, SHOWN_TAGS).map((tag) => (
            <Heat key={tag.name} {...tag} />
          ))}
        </span>
        <LinkButton size="small" to="/files/$hash" params={{ hash: sha256 }}>
          Open
        </LinkButton>
      </div>
    </li>
  );
}
