import { getRouteApi } from '@tanstack/react-router';
import { CONFIRMATION_SIGNS, CONFIRMATIONS } from '../../components/marks/confirmation.tsx';
import { FilterBar } from '../feed/filter-bar.tsx';
import type { FeedFilter } from '../feed/filters.ts';
import { AGES, DESK_FILTERS } from './desk-filter.ts';
import styles from './desk-filters.module.css';

const route = getRouteApi('/signed-in/desk/$service');

/** What the inbox shows. All of it is in the address of the page, so that it can be kept. */
export function DeskFilters() {
  const navigate = route.useNavigate();
  const { view, age, report: _, status, confirmation, ...others } = route.useSearch();
  const change = (filter: FeedFilter) =>
    void navigate({ search: { view, age, status, confirmation, ...filter } });
  const choose = (name: 'age' | 'confirmation', value: string) =>
    void navigate({
      search: (search) => ({
        ...search,
        [name]: value === '' ? undefined : value,
        report: undefined,
      }),
    });
  return (
    <div className={styles['filters']}>
      <FilterBar filter={others} onChange={change} names={DESK_FILTERS} />
      <select
        aria-label="Confirmation to filter by"
        value={confirmation ?? ''}
        onChange={({ target }) => choose('confirmation', target.value)}
      >
        <option value="">any confirmation</option>
        {CONFIRMATIONS.map((value) => (
          <option key={value} value={value}>
            {CONFIRMATION_SIGNS[value]} {value}
          </option>
        ))}
      </select>
      <select
        aria-label="Age to filter by"
        value={age ?? ''}
        onChange={({ target }) => choose('age', target.value)}
      >
        <option value="">any age</option>
        {Object.entries(AGES).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </div>
  );
}
