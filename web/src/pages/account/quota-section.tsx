import { useQuery } from '@tanstack/react-query';
import { usageQuery } from '../../api/account.ts';
import type { Me } from '../../api/session.ts';
import { FactList } from '../../components/fact-list.tsx';
import { Time } from '../../components/marks/time.tsx';
import { Section } from '../../components/page.tsx';
import { DayBars } from '../../components/plots/day-bars.tsx';
import { Failure } from '../../components/states.tsx';
import { count, formatNumber } from '../../text/format.ts';
import styles from './account-page.module.css';
import { Charges } from './charges.tsx';

const PERIODS = { day: 'each UTC day', month: 'each month', none: 'prepaid' } as const;

export function QuotaSection({ me: { quota, roles, expiresAt } }: { readonly me: Me }) {
  const { data, error, refetch } = useQuery(usageQuery);
  const { limit, period, remaining, resetsAt } = quota;
  return (
    <Section title="Units">
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
          <div className={styles['usage']}>
            <h3>
              {count(
                data.days.reduce((sum, { units }) => sum + units, 0),
                'unit',
              )}{' '}
              in {data.days.length} days
            </h3>
            <DayBars
              label="Units charged per day"
              unit="unit"
              days={data.days.map(({ day, units }) => ({ day, value: units }))}
            />
          </div>
        )}
      </div>
      {data !== undefined && <Charges days={data.days} isCut={data.hasMore} />}
    </Section>
  );
}
