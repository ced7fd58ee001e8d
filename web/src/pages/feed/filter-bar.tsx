import { type FormEvent, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chip.tsx';
import { visible } from '../../text/visible.ts';
import styles from './feed-page.module.css';
import {
  entriesOf,
  type FeedFilter,
  FILTER_NAMES,
  FILTERS,
  type FilterName,
  withFilter,
  withoutFilter,
} from './filters.ts';

interface Props {
  readonly filter: FeedFilter;
  readonly onChange: (filter: FeedFilter) => void;
}

/** The filters in force as chips, and a form that adds one. */
export function FilterBar({ filter, onChange }: Props) {
  const [name, setName] = useState<FilterName>('status');
  const [value, setValue] = useState('');
  const add = (event: FormEvent) => {
    event.preventDefault();
    if (value.trim() === '') return;
    onChange(withFilter(filter, name, value.trim()));
    setValue('');
  };
  const entries = entriesOf(filter);
  return (
    <div className={styles['filters']}>
      <form className={styles['addFilter']} onSubmit={add}>
        <select
          aria-label="Filter by"
          value={name}
          onChange={({ target }) => setName(target.value as FilterName)}
        >
          {FILTER_NAMES.map((one) => (
            <option key={one} value={one}>
              {FILTERS[one].label}
            </option>
          ))}
        </select>
        <input
          aria-label={`${FILTERS[name].label} to filter by`}
          placeholder={FILTERS[name].hint}
          value={value}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => setValue(target.value)}
        />
        <Button type="submit">Filter</Button>
      </form>
      {entries.map(([one, text]) => (
        <Chip
          key={`${one} ${text}`}
          name={FILTERS[one].label}
          value={visible(text)}
          onRemove={() => onChange(withoutFilter(filter, one, text))}
        />
      ))}
      {entries.length > 1 && (
        <Button size="small" look="quiet" onClick={() => onChange({})}>
          Remove all
        </Button>
      )}
    </div>
  );
}
