import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { Account } from '../../../../src/client/wire.ts';
import { accountsQuery, refreshAdmin } from '../../api/admin.ts';
import { client } from '../../api/client.ts';
import { useMe } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { showError, showToast } from '../../components/overlays/toasts.tsx';
import { Section } from '../../components/page.tsx';
import { useScreenWidth } from '../../components/screen-width.ts';
import { Empty, Failure, Skeleton } from '../../components/states.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import { count, formatNumber } from '../../text/format.ts';
import { visible } from '../../text/visible.ts';
import { type AccountAction, accountColumns } from './account-columns.tsx';
import styles from './admin-page.module.css';

const AccountDialog = lazy(() => import('./account-dialog.tsx'));
const LinkDialog = lazy(() => import('./link-dialog.tsx'));
const OwnAccountDialog = lazy(() => import('./own-account-dialog.tsx'));
const Question = lazy(() => import('../../components/overlays/question.tsx'));

const TWO_LINES = 58;

interface Opened {
  readonly action: AccountAction | 'add';
  readonly account: Account | undefined;
}

export function Accounts() {
  const { data, error, isPending, refetch } = useQuery(accountsQuery);
  const [name, setName] = useState('');
  const [opened, setOpened] = useState<Opened>();
  const isNarrow = useScreenWidth() === 'narrow';
  const all = data?.accounts ?? [];
  const shown = all.filter((account) => matches(account, name.trim().toLowerCase()));
  return (
    <Section
      title="Accounts"
      aside={
        <Button
          size="small"
          look="primary"
          onClick={() => setOpened({ action: 'add', account: undefined })}
        >
          New account
        </Button>
      }
    >
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton lines={8} label="Loading accounts" />}
      {data !== undefined && (
        <div className={styles['tools']}>
          <input
            type="search"
            className={styles['search']}
            aria-label="Find accounts by name, role or service"
            placeholder="Name, role or service"
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
          <span className={styles['faint']}>
            {data.isCut
              ? `The first ${formatNumber(all.length)} accounts are shown.`
              : count(shown.length, 'account')}
          </span>
        </div>
      )}
      {data !== undefined && shown.length === 0 && (
        <Empty title="No account matches">
          <p>Names, roles and services are searched.</p>
        </Empty>
      )}
      {shown.length > 0 && (
        <DataTable
          label="Accounts"
          columns={accountColumns(isNarrow, (action, account) => setOpened({ action, account }))}
          {...(isNarrow && { rowHeight: TWO_LINES })}
          rows={shown}
          keyOf={({ id }) => id}
        />
      )}
      <Suspense fallback={null}>
        <OpenedDialog opened={opened} onClose={() => setOpened(undefined)} />
      </Suspense>
    </Section>
  );
}

function matches({ name, roles, services }: Account, wanted: string): boolean {
  return [name, ...roles, ...services].some((text) => text.toLowerCase().includes(wanted));
}

interface DialogProps {
  readonly opened: Opened | undefined;
  readonly onClose: () => void;
}

function OpenedDialog({ opened, onClose }: DialogProps) {
  if (opened === undefined) return null;
  const { action, account } = opened;
  if (action === 'add' || account === undefined)
    return <AccountDialog account={undefined} onClose={onClose} />;
  if (action === 'edit') return <AccountDialog account={account} onClose={onClose} />;
  if (action === 'invite') return <LinkDialog account={account} onClose={onClose} />;
  return <Confirmation action={action} account={account} onClose={onClose} />;
}

interface ConfirmationProps {
  readonly action: 'disable' | 'enable' | 'end-sessions';
  readonly account: Account;
  readonly onClose: () => void;
}

function Confirmation({ action, account, onClose }: ConfirmationProps) {
  const cache = useQueryClient();
  const name = visible(account.name);
  const me = useMe();
  const { mutate } = useMutation({
    mutationFn: (issued: boolean) => perform(action, account, issued),
    onSuccess: (text) => showToast({ text }),
    onError: showError,
    onSettled: () => refreshAdmin(cache),
  });
  if (action === 'disable' && me.id === account.id)
    return <OwnAccountDialog name={account.name} onClose={onClose} />;
  const { title, text, label } = QUESTIONS[action];
  return (
    <Question
      title={title(name)}
      text={text}
      action={label}
      {...(action === 'end-sessions' && { option: REVOKE_ISSUED })}
      onConfirm={(isOptionChosen) => {
        mutate(isOptionChosen);
        onClose();
      }}
      onClose={onClose}
    />
  );
}

const QUESTIONS = {
  disable: {
    title: (name: string) => `Disable the account ${name}?`,
    text: 'It is signed out in all browsers for good, its unused links stop working, and its tokens are refused until you enable it again. Its reports stay.',
    label: 'Disable',
  },
  enable: {
    title: (name: string) => `Enable the account ${name}?`,
    text: 'Its tokens that are neither revoked nor expired work again. Its sessions have ended: it signs in again.',
    label: 'Enable',
  },
  'end-sessions': {
    title: (name: string) => `End all sessions of ${name}?`,
    text: 'It is signed out in all browsers, and its unused links stop working. Tokens stay valid, unless you revoke them.',
    label: 'End sessions',
  },
} as const;

const REVOKE_ISSUED =
  'Revoke the tokens that were issued in its sessions, including those of other accounts, and those issued with them';

async function perform(
  action: ConfirmationProps['action'],
  account: Account,
  issued: boolean,
): Promise<string> {
  const name = visible(account.name);
  if (action === 'end-sessions') {
    const { revoked } = await client.endAccountSessions(account.id, { issued });
    const tokens = revoked === 0 ? '' : ` ${count(revoked, 'token')} revoked.`;
    return `The sessions of ${name} are ended.${tokens}`;
  }
  await client.changeAccount(account.id, { disabled: action === 'disable' });
  return `The account ${name} is ${action}d.`;
}
