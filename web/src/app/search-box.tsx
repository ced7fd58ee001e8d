import { useNavigate } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { SEARCH_FIELD_ID } from './keys.ts';
import styles from './search-box.module.css';
import { pageOf } from './search-target.ts';

/** The search of the bar: Enter opens the page of a hash or an address, or the results. */
export function SearchBox() {
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const target = pageOf(text);
    if (target !== undefined) void navigate(target);
  };
  return (
    <search>
      <form className={styles['field']} onSubmit={submit}>
        <Search aria-hidden />
        <input
          id={SEARCH_FIELD_ID}
          type="search"
          aria-label="Search"
          className={styles['input']}
          placeholder="Hash, address, host, tag, family …"
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={({ key, currentTarget }) => {
            if (key === 'Escape') currentTarget.blur();
          }}
        />
        <kbd aria-hidden>/</kbd>
      </form>
    </search>
  );
}
