import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { TextArea } from '../../components/field.tsx';
import { linesOf, MAX_LINES, toFragment } from '../../components/search/search-list.ts';
import { count } from '../../text/format.ts';
import styles from './find-page.module.css';

/** A field for a list. */
export function ListForm({ lines = [] }: { readonly lines?: readonly string[] }) {
  const navigate = useNavigate();
  const [text, setText] = useState(lines.join('\n'));
  const wanted = linesOf(text);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (wanted.length > 0) void navigate({ to: '/find', hash: toFragment(wanted) });
  };
  return (
    <form className={styles['listForm']} onSubmit={submit}>
      <TextArea
        label="A list"
        hint={`Hashes, the first 8 digits of one or more, addresses, hosts or networks, one in a line, defanged or not; at most ${MAX_LINES}.`}
        error={
          wanted.length > MAX_LINES
            ? `The list has ${count(wanted.length, 'line')}; the first ${MAX_LINES} are searched.`
            : undefined
        }
        rows={6}
        spellCheck={false}
        autoCapitalize="none"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <Button type="submit" disabled={wanted.length === 0}>
        Search for the list
      </Button>
    </form>
  );
}
