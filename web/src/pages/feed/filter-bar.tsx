import { ListFilter } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/marks/chip.tsx';
import styles from './feed-page.module.css';
import {
  entriesOf,
  type FeedFilter,
  FILTER_NAMES,
  FILTERS,
  type FilterName,
  showValue,
  toValue,
  withFilter,
  withoutFilter,
} from './filters.ts';

interface Props {
  readonly filter: FeedFilter;
  readonly onChange: (filter: FeedFilter) => void;
  /** The filters that are offered. */
  readonly names?: readonly [FilterName, ...FilterName[]];
}

/** The filters in force as chips, and a form that adds one. */
export function FilterBar({ filter, onChange, names = FILTER_NAMES }: Props) {
  const [name, setName] = useState<FilterName>(names[0]);
  const [value, setValue] = useState('');
  const chosen = value === '' ? (FILTERS[name].choices?.[0] ?? '') : value;
  const add = (event: FormEvent) => {
    event.preventDefault();
    const text = toValue(name, chosen);
    if (text === '') return;
    onChange(withFilter(filter, name, text));
    setValue('');
  };
  const entries = entriesOf(filter);
  return (
    <search className={styles['filters']} aria-label="Filters">
      <form className={styles['addFilter']} onSubmit={add}>
        <select
          aria-label="Filter by"
          value={name}
          onChange={({ target }) => {
            setName(target.value as FilterName);
            setValue('');
          }}
        >
          {names.map((one) => (
            <option key={one} value={one}>
              {FILTERS[one].label}
            </option>
          ))}
        </select>
        <ValueField name={name} value={chosen} onChange={setValue} />
        <Button type="submit">
          <ListFilter aria-hidden /> Filter
        </Button>
      </form>
      {entries.map(([one, text]) => (
        <Chip
          key={`${one} ${text}`}
          name={FILTERS[one].label}
          value={showValue(one, text)}
          onRemove={() => onChange(withoutFilter(filter, one, text))}
        />
      ))}
      {entries.length > 1 && (
        <Button size="small" look="quiet" onClick={() => onChange({})}>
          Remove all
        </Button>
      )}
    </search>
  );
}

interface ValueProps {
  readonly name: FilterName;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function ValueField({ name, value, onChange }: ValueProps) {
  const { label, hint, input = 'text', choices } = FILTERS[name];
  const common = {
    'aria-label': `${label} to filter by`,
    value,
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
  };
  if (choices !== undefined)
    return (
      <select {...common} className={styles['value']}>
        {choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    );
  return (
    <input
      {...common}
      type={input}
      className={styles['value']}
      placeholder={hint}
      autoComplete="off"
      spellCheck={false}
    />
  );
}
