import { useQuery } from '@tanstack/react-query';
import { usageQuery } from '../../api/account.ts';
import type { Me } from '../../api/session.ts';
import { FactList } from '../../components/fact-list.tsx';
import { Section } from '../../components/page.tsx';
import { Plot } from '../../components/plots/plot.tsx';
import { Failure } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { formatNumber } from '../../text/format.ts';
import styles from './account-page.module.css';

const PERIODS = { day: 'each UTC day', month: 'each month', none: 'prepaid' } as const;

export function QuotaSection({ me: { quota, roles, expiresAt } }: { readonly me: Me }) {
  const { data, error, refetch } = useQuery(usageQuery);
  const { limit, period, remaining, resetsAt } = quota;
  return (
    <Section title="Lookups">
      <div className={styles['columns']}>
        <FactList
          facts={[
            { name: 'Left', value: remaining === null ? 'not limited' : formatNumber(remaining) },
            {
              name: 'Quota',
              value: limit === null ? 'no limit' : `${formatNumber(limit)}, ${PERIODS[period]}`,
            },
            { name: 'Resets', value: resetsAt === null ? 'never' : <Time at={resetsAt} isFull /> },
            { name: 'Roles', value: roles.length === 0 ? 'reads only' : roles.join(', ') },
            {
              name: 'Account expires',
              value: expiresAt === null ? 'never' : <Time at={expiresAt} isFull />,
            },
          ]}
        />
        {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
        {data !== undefined && (
          <Plot
            label="Units charged per day over the last 90 days"
            times={data.map(({ day }) => Date.parse(day) / 1000)}
            series={[{ label: 'units', values: data.map(({ units }) => units) }]}
          />
        )}
      </div>
    </Section>
  );
}
