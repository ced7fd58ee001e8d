import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { OwnershipPattern } from '../../../../src/client/wire.ts';
import { client } from '../../api/client.ts';
import { ownershipQuery } from '../../api/ownership.ts';
import { visible } from '../../text/visible.ts';
import { Button } from '../button.tsx';
import { CopyButton } from '../identifiers/copy-button.tsx';
import { Time } from '../marks/time.tsx';
import { showError, showToast } from '../overlays/toasts.tsx';
import styles from './ownership.module.css';

interface Props {
  readonly service: string;
  readonly declared: OwnershipPattern;
  /** The text to publish. */
  readonly challenge: string;
}

export function PatternCard({ service, declared, challenge }: Props) {
  const { pattern, state, problem, recordName, url } = declared;
  const { check, isPending } = useCheck(service, pattern);
  const isVerified = state === 'verified';
  return (
    <article className={styles['card']} aria-label={visible(pattern)}>
      <h3>{visible(pattern)}</h3>
      <State declared={declared} />
      {problem !== null && (
        <p className={url === null ? styles['note'] : styles['problem']}>{visible(problem)}</p>
      )}
      {url !== null && (
        <details open={!isVerified || problem !== null}>
          <summary className={styles['summary']}>How to prove it</summary>
          <div className={styles['ways']}>
            {recordName !== null && (
              <section className={styles['way']} aria-label="By a TXT record">
                <p>A TXT record in the DNS</p>
                <Copied what="name of the record" text={recordName} />
                <Copied what="text" text={challenge} />
                <Button size="small" disabled={isPending} onClick={() => check('dns')}>
                  Check the record now
                </Button>
              </section>
            )}
            <section className={styles['way']} aria-label="By a file">
              <p>Or a file on the web server, with the text as a line</p>
              <Copied what="address of the file" text={url} />
              <Copied what="text" text={challenge} />
              <Button size="small" disabled={isPending} onClick={() => check('http')}>
                Check the file now
              </Button>
            </section>
          </div>
        </details>
      )}
    </article>
  );
}

const METHODS = { dns: 'by its TXT record', http: 'by its file' } as const;

function State({ declared }: { readonly declared: OwnershipPattern }) {
  const { state, method, verifiedAt, checkedAt } = declared;
  return (
    <p className={state === 'verified' ? styles['good'] : styles['note']}>
      <span aria-hidden>{state === 'verified' ? '✓' : '○'}</span> {state}
      {state === 'verified' && method !== null && ` ${METHODS[method]}`}
      {verifiedAt !== null && (
        <>
          {' '}
          since <Time at={verifiedAt} />
        </>
      )}
      {checkedAt !== null && (
        <>
          , checked <Time at={checkedAt} />
        </>
      )}
    </p>
  );
}

function Copied({ what, text }: { readonly what: string; readonly text: string }) {
  return (
    <div className={styles['copied']}>
      <code>{visible(text)}</code>
      <CopyButton text={text} what={what} />
    </div>
  );
}

function useCheck(service: string, pattern: string) {
  const cache = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: (method: 'dns' | 'http') => client.checkOwnership(service, { pattern, method }),
    onSuccess: ({ state, problem }) => {
      const isProven = state === 'verified' && problem === null;
      showToast({
        text: isProven ? `${visible(pattern)} is verified.` : visible(problem ?? state),
        isError: !isProven,
      });
    },
    onError: showError,
    onSettled: () =>
      Promise.all([
        cache.invalidateQueries({ queryKey: ownershipQuery(service).queryKey }),
        cache.invalidateQueries({ queryKey: ['admin', 'services'] }),
      ]),
  });
  return { check: mutate, isPending };
}
