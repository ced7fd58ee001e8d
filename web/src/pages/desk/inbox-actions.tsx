import { Button } from '../../components/button.tsx';
import { REASONS, type ReportStatus } from '../../components/marks/status.tsx';
import { MenuButton } from '../../components/menu/menu-button.tsx';
import { formatNumber } from '../../text/format.ts';
import styles from './inbox-actions.module.css';
import type { InboxState } from './use-inbox.ts';

interface Props {
  readonly inbox: InboxState;
  /** The status of the current report. */
  readonly status: ReportStatus;
  /** All reports that match the filter, in words. */
  readonly matching: string | undefined;
}

const OTHER_ACTIONS = ['suspended', 'blocked'] as const;

/** The actions on the selected reports, or on the current one. The labels say how many. */
export function InboxActions({ inbox, status, matching }: Props) {
  const { act, chosen, isAllMatching, setRejecting } = inbox;
  const some = chosen.length > 1 ? ` ${formatNumber(chosen.length)}` : '';
  const number = isAllMatching ? ` ${matching}` : some;
  const others = OTHER_ACTIONS.map((reason) => ({
    id: reason,
    label: `${capital(REASONS[reason] ?? reason)}${number}`,
    onAction: () => act({ status: 'actioned', reason }),
  }));
  const again = {
    id: 'open',
    label: `Open again${number}`,
    onAction: () => act({ status: 'open' }),
  };
  return (
    <div className={styles['actions']}>
      {status !== 'acknowledged' && (
        <Button onClick={() => act({ status: 'acknowledged' })}>
          Acknowledge{number} <Key name="a" />
        </Button>
      )}
      <Button look="primary" onClick={() => act({ status: 'actioned', reason: 'taken_down' })}>
        Taken down{number} <Key name="t" />
      </Button>
      <Button onClick={() => setRejecting(true)}>
        Reject{number} … <Key name="r" />
      </Button>
      <MenuButton
        look="quiet"
        label="More"
        groups={[{ entries: status === 'open' ? others : [...others, again] }]}
      />
    </div>
  );
}

function Key({ name }: { readonly name: string }) {
  return (
    <kbd aria-hidden className={styles['key']}>
      {name}
    </kbd>
  );
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
