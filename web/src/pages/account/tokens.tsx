import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { Token } from '../../../../src/client/wire.ts';
import { tokensQuery } from '../../api/account.ts';
import { client } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { Time } from '../../components/marks/time.tsx';
import { showError } from '../../components/overlays/toasts.tsx';
import { Section } from '../../components/page.tsx';
import { Empty, Failure } from '../../components/states.tsx';
import { visible } from '../../text/visible.ts';
import styles from './account-page.module.css';

const NewToken = lazy(() => import('./new-token-dialog.tsx'));
const Question = lazy(() => import('../../components/overlays/question.tsx'));

export function Tokens() {
  const list = useInfiniteQuery(tokensQuery);
  const [isAdding, setAdding] = useState(false);
  const tokens = (list.data?.pages ?? []).flatMap((page) => page.tokens);
  return (
    <Section
      title="Tokens"
      aside={
        <Button size="small" onClick={() => setAdding(true)}>
          New token
        </Button>
      }
    >
      {list.error !== null && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {list.data !== undefined && tokens.length === 0 && (
        <Empty title="No tokens">
          <p>A token lets a program call the API as you. It is shown once.</p>
        </Empty>
      )}
      {tokens.length > 0 && <TokenTable tokens={tokens} />}
      {list.hasNextPage && (
        <div>
          <Button size="small" onClick={() => void list.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
      {isAdding && (
        <Suspense fallback={null}>
          <NewToken onClose={() => setAdding(false)} />
        </Suspense>
      )}
    </Section>
  );
}

function TokenTable({ tokens }: { readonly tokens: readonly Token[] }) {
  const [revoking, setRevoking] = useState<Token>();
  const cache = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: (id: string) => client.revokeToken(id),
    onSuccess: () => cache.invalidateQueries({ queryKey: tokensQuery.queryKey }),
    onError: showError,
  });
  return (
    <div className={styles['scroll']}>
      <table className={`${styles['table']} ${styles['tokens']}`} aria-label="Tokens">
        <thead>
          <tr>
            <th scope="col">Label</th>
            <th scope="col">Begins with</th>
            <th scope="col">Created</th>
            <th scope="col">Issued</th>
            <th scope="col">Last used</th>
            <th scope="col">Expires</th>
            <th scope="col">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {tokens.map((token) => (
            <tr key={token.id}>
              <th scope="row">{token.label === '' ? 'no label' : visible(token.label)}</th>
              <td data-head="begins with">
                <code>{token.hint}</code>
              </td>
              <td data-head="created">
                <Time at={token.createdAt} />
              </td>
              <td data-head="issued">{originOf(token, tokens)}</td>
              <td data-head="last used">
                {token.lastUsedAt === null ? 'never' : <Time at={token.lastUsedAt} />}
              </td>
              <td data-head="expires">
                {token.expiresAt === null ? 'never' : <Time at={token.expiresAt} />}
              </td>
              <td>
                {token.revokedAt === null ? (
                  <Button
                    size="small"
                    look="danger"
                    aria-label={`Revoke ${nameOf(token)}`}
                    onClick={() => setRevoking(token)}
                  >
                    Revoke
                  </Button>
                ) : (
                  <>
                    revoked <Time at={token.revokedAt} />
                  </>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {revoking !== undefined && (
        <Suspense fallback={null}>
          <Question
            title={`Revoke the token ${nameOf(revoking)}?`}
            text="Programs that use it are refused at once, and sessions that it opened end."
            action="Revoke"
            onConfirm={() => {
              mutate(revoking.id);
              setRevoking(undefined);
            }}
            onClose={() => setRevoking(undefined)}
          />
        </Suspense>
      )}
    </div>
  );
}

const ORIGINS: Readonly<Record<Token['issuedVia'], string>> = {
  session: 'in a session',
  token: 'with a token',
  administrator: 'by an administrator',
  operator: 'on the server',
  unknown: 'unknown',
};

/** The issuing token by its beginning, if it is in the list. */
function originOf({ issuedVia, issuedBy }: Token, tokens: readonly Token[]): string {
  const issuer = tokens.find(({ id }) => id === issuedBy);
  return issuedVia === 'token' && issuer !== undefined ? `with ${issuer.hint}` : ORIGINS[issuedVia];
}

function nameOf({ label, hint }: Token): string {
  return label === '' ? hint : visible(label);
}
