import { useEffect } from 'react';
import styles from './search-box.module.css';
import type { SuggestionGroup, SuggestionTarget } from './suggestions.ts';

interface Props {
  readonly id: string;
  readonly groups: readonly SuggestionGroup[];
  readonly isOpen: boolean;
  /** The id of the chosen suggestion. */
  readonly active: string | undefined;
  readonly onChoose: (target: SuggestionTarget) => void;
}

/** The suggestions, by kind. The focus stays in the field. */
export function SuggestionList({ id, groups, isOpen, active, onChoose }: Props) {
  useEffect(() => {
    if (active !== undefined)
      document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, active]);
  return (
    <div
      id={id}
      role="listbox"
      aria-label="Suggestions"
      className={styles['list']}
      hidden={!isOpen}
    >
      {groups.map(({ title, suggestions }) => (
        // biome-ignore lint/a11y/useSemanticElements: a group of options, not of fields
        <div key={title} role="group" aria-label={title} className={styles['group']}>
          <div className={styles['heading']} aria-hidden>
            {title}
          </div>
          {suggestions.map(({ id: one, text, note, target }) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
            // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
            <div
              key={one}
              id={`${id}-${one}`}
              role="option"
              aria-selected={one === active}
              className={styles['option']}
              // Keeps the focus in the field.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => onChoose(target)}
            >
              <span className={styles['text']}>{text}</span>
              {note !== undefined && <span className={styles['note']}>{note}</span>}
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}
