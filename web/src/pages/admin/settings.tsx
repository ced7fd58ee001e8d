import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Setting } from '../../../../src/client/wire.ts';
import { settingsQuery } from '../../api/admin.ts';
import { CheckBox } from '../../components/field.tsx';
import { Section } from '../../components/page.tsx';
import { Empty, Failure, Skeleton } from '../../components/states.tsx';
import { visible } from '../../text/visible.ts';
import styles from './admin-page.module.css';

export function Settings() {
  const { data, error, isPending, refetch } = useQuery(settingsQuery);
  const [text, setText] = useState('');
  const [onlySet, setOnlySet] = useState(false);
  const wanted = text.trim().toLowerCase();
  const shown = (data ?? []).filter(
    (setting) => (!onlySet || setting.isSet) && matches(setting, wanted),
  );
  return (
    <Section title="Settings in force">
      <p className={styles['intro']}>
        The node that answered reads them at its start, from its environment or its configuration
        file. Values of secrets are never shown.
      </p>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton lines={12} label="Loading settings" />}
      {data !== undefined && (
        <div className={styles['tools']}>
          <input
            type="search"
            className={styles['search']}
            aria-label="Find settings"
            placeholder="Name or purpose"
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
          <CheckBox
            label="only those that are set"
            checked={onlySet}
            onChange={({ target }) => setOnlySet(target.checked)}
          />
        </div>
      )}
      {data !== undefined && shown.length === 0 && <Empty title="No setting matches" />}
      {shown.length > 0 && (
        <ul className={styles['settings']} aria-label="Settings">
          {shown.map((setting) => (
            <li key={setting.name} className={styles['setting']}>
              <code>{setting.name}</code>
              <Value setting={setting} />
              <span className={setting.isSet ? '' : styles['faint']}>{setting.source}</span>
              <span className={styles['purpose']}>{setting.purpose.replaceAll('`', '')}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function matches({ name, purpose }: Setting, wanted: string): boolean {
  return name.toLowerCase().includes(wanted) || purpose.toLowerCase().includes(wanted);
}

function Value({ setting: { value, isSecret, isSet } }: { readonly setting: Setting }) {
  if (isSecret)
    return (
      <span className={`${styles['badge']} ${isSet ? styles['good'] : ''}`}>
        {isSet ? 'set' : 'not set'}
      </span>
    );
  if (value === null) return <span className={styles['faint']}>–</span>;
  return <code>{visible(value)}</code>;
}
