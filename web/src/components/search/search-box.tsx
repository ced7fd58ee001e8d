import { useNavigate } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { type ClipboardEvent, type FormEvent, type KeyboardEvent, useId, useState } from 'react';
import { count } from '../../text/format.ts';
import styles from './search-box.module.css';
import { isList, linesOf, toFragment } from './search-list.ts';
import { pageOf } from './search-target.ts';
import { SuggestionList } from './suggestion-list.tsx';
import type { SuggestionTarget } from './suggestions.ts';
import { useSuggestions } from './use-suggestions.ts';

/** A page has one search: the shortcut `/` finds its field by this id. */
const FIELD_ID = 'search';

export function focusSearch(): void {
  const field = document.getElementById(FIELD_ID);
  if (field instanceof HTMLInputElement) field.select();
  field?.focus();
}

interface Props {
  readonly size?: 'normal' | 'large';
  readonly initialText?: string;
}

/**
 * The search: a combo box after the ARIA pattern. Enter opens the page of a hash or an address, or
 * the results; the arrow keys choose a suggestion. It is part of every first view, for which the
 * combo box of react-aria is too large.
 */
export function SearchBox({ size = 'normal', initialText = '' }: Props) {
  const box = useSearchBox(initialText);
  const listId = useId();
  return (
    <search className={styles['search']} onBlur={box.onBlur}>
      <form className={`${styles['field']} ${styles[size]}`} onSubmit={box.submit}>
        <Search aria-hidden />
        <input
          id={FIELD_ID}
          type="search"
          role="combobox"
          aria-label="Search"
          aria-autocomplete="list"
          aria-expanded={box.isOpen}
          aria-controls={listId}
          aria-activedescendant={box.active < 0 ? undefined : `${listId}-${box.active}`}
          className={styles['input']}
          placeholder="Hash, address, host, tag, family …"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={2048}
          value={box.text}
          onChange={({ target }) => box.type(target.value)}
          onKeyDown={box.onKeyDown}
          onPaste={box.onPaste}
        />
        <kbd aria-hidden>/</kbd>
      </form>
      <SuggestionList
        id={listId}
        groups={box.groups}
        isOpen={box.isOpen}
        active={box.active}
        onChoose={box.go}
      />
      <output className="visually-hidden">
        {box.isOpen ? count(box.suggestions.length, 'suggestion') : ''}
      </output>
    </search>
  );
}

function useSearchBox(initialText: string) {
  const navigate = useNavigate();
  const [text, setText] = useState(initialText);
  const [isUsed, setUsed] = useState(false);
  const [index, setIndex] = useState(-1);
  const groups = useSuggestions(text, isUsed);
  const suggestions = groups.flatMap((group) => group.suggestions);
  const chosen = suggestions[index];

  const close = () => {
    setUsed(false);
    setIndex(-1);
  };
  const go = (target: SuggestionTarget) => {
    close();
    if (target.to !== '/find') setText('');
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    void navigate(target);
  };
  const move = (step: number) => {
    setUsed(true);
    // One more than there are suggestions: after the last, the text is selected again.
    const choices = suggestions.length + 1;
    setIndex(((index + 1 + step + choices) % choices) - 1);
  };
  return {
    text,
    groups,
    suggestions,
    isOpen: suggestions.length > 0,
    active: chosen === undefined ? -1 : index,
    go,
    type: (value: string) => {
      setText(value);
      setUsed(true);
      setIndex(-1);
    },
    submit: (event: FormEvent) => {
      event.preventDefault();
      const target = chosen?.target ?? pageOf(text);
      if (target !== undefined) go(target);
    },
    /** The field has one line: a list would become one word. */
    onPaste: (event: ClipboardEvent<HTMLInputElement>) => {
      const pasted = event.clipboardData.getData('text');
      if (!isList(pasted)) return;
      event.preventDefault();
      close();
      void navigate({ to: '/find', hash: toFragment(linesOf(pasted)) });
    },
    onBlur: (event: React.FocusEvent) => {
      if (!event.currentTarget.contains(event.relatedTarget)) close();
    },
    onKeyDown: (event: KeyboardEvent<HTMLInputElement>) => {
      if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
        event.preventDefault();
        move(event.key === 'ArrowDown' ? 1 : -1);
      } else if (event.key === 'Escape') {
        // The first Escape closes the list, the second leaves the field. The text stays.
        event.preventDefault();
        if (suggestions.length > 0) close();
        else event.currentTarget.blur();
      }
    },
  };
}
