import { Ellipsis } from 'lucide-react';
import type { Account } from '../../../../src/client/wire.ts';
import { Time } from '../../components/marks/time.tsx';
import { MenuButton } from '../../components/menu/menu-button.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import { formatNumber, parseTime } from '../../text/format.ts';
import { visible } from '../../text/visible.ts';
import styles from './admin-page.module.css';

export type AccountAction = 'edit' | 'invite' | 'end-sessions' | 'disable' | 'enable';

const PERIODS = { day: 'a day', month: 'a month', none: 'prepaid' } as const;

export function accountColumns(
  isNarrow: boolean,
  onAction: (action: AccountAction, account: Account) => void,
): readonly Column<Account>[] {
  return [
    {
      id: 'name',
      head: 'Account',
      width: 'minmax(var(--size-25), 1.5fr)',
      cell: (account) => <Name account={account} isNarrow={isNarrow} />,
    },
    { id: 'state', head: 'State', width: '5.5rem', cell: (account) => <State account={account} /> },
    {
      id: 'roles',
      head: 'Roles',
      width: 'minmax(var(--size-28), 1fr)',
      from: 'medium',
      cell: ({ roles }) =>
        roles.length === 0 ? <span className={styles['faint']}>reads only</span> : roles.join(', '),
    },
    {
      id: 'services',
      head: 'Owner of',
      width: 'minmax(var(--size-25), 1fr)',
      from: 'medium',
      cell: ({ services }) =>
        services.length === 0 ? (
          <span className={styles['faint']}>–</span>
        ) : (
          <span title={services.join(', ')}>{services.join(', ')}</span>
        ),
    },
    {
      id: 'quota',
      head: 'Units left',
      width: 'minmax(12rem, 1fr)',
      align: 'right',
      from: 'medium',
      cell: ({ quota }) => <Quota quota={quota} />,
    },
    {
      id: 'created',
      head: 'Created',
      width: '6.75rem',
      align: 'right',
      from: 'wide',
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
    {
      id: 'actions',
      head: 'Actions',
      width: '4.25rem',
      align: 'right',
      cell: (account) => <Actions account={account} onAction={onAction} />,
    },
  ];
}

/** On narrow screens with what the other columns would show. */
function Name({ account, isNarrow }: { readonly account: Account; readonly isNarrow: boolean }) {
  const name = <strong title={visible(account.name)}>{visible(account.name)}</strong>;
  if (!isNarrow) return name;
  const owned = account.services.map((service) => `owns ${service}`);
  const rights = [...account.roles, ...owned].join(', ');
  return (
    <span className={styles['two']}>
      {name}
      <span className={styles['faint']}>{rights === '' ? 'reads only' : rights}</span>
    </span>
  );
}

function State({ account: { disabled, expiresAt } }: { readonly account: Account }) {
  if (disabled) return <span className={`${styles['badge']} ${styles['bad']}`}>disabled</span>;
  if (expiresAt !== null && parseTime(expiresAt).getTime() < Date.now())
    return <span className={`${styles['badge']} ${styles['warning']}`}>expired</span>;
  return <span className={`${styles['badge']} ${styles['good']}`}>active</span>;
}

function Quota({ quota: { limit, remaining, period } }: Pick<Account, 'quota'>) {
  if (limit === null || remaining === null)
    return <span className={styles['faint']}>no limit</span>;
  return (
    <>
      {formatNumber(remaining)}{' '}
      <span className={styles['faint']}>
        of {formatNumber(limit)} {PERIODS[period]}
      </span>
    </>
  );
}

interface ActionsProps {
  readonly account: Account;
  readonly onAction: (action: AccountAction, account: Account) => void;
}

function Actions({ account, onAction }: ActionsProps) {
  const entry = (id: AccountAction, label: string) => ({
    id,
    label,
    onAction: () => onAction(id, account),
  });
  return (
    <MenuButton
      label={`Actions for ${visible(account.name)}`}
      icon={<Ellipsis aria-hidden />}
      size="small"
      look="quiet"
      groups={[
        { entries: [entry('edit', 'Edit'), entry('invite', 'Make a sign-in link')] },
        {
          entries: [
            entry('end-sessions', 'End sessions'),
            account.disabled ? entry('enable', 'Enable') : entry('disable', 'Disable'),
          ],
        },
      ]}
    />
  );
}
