import { useEffect } from 'react';
import styles from './search-box.module.css';
import type { SuggestionGroup, SuggestionTarget } from './suggestions.ts';

interface Props {
  readonly id: string;
  readonly groups: readonly SuggestionGroup[];
  readonly isOpen: boolean;
  /** The index of the chosen suggestion among all, or -1. */
  readonly active: number;
  readonly onChoose: (target: SuggestionTarget) => void;
}

/** The suggestions, by kind. The focus stays in the field. */
export function SuggestionList({ id, groups, isOpen, active, onChoose }: Props) {
  useEffect(() => {
    document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, active]);
  const all = groups.flatMap((group) => group.suggestions);
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
          {suggestions.map((one) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
            // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
            <div
              key={one.id}
              id={`${id}-${all.indexOf(one)}`}
              role="option"
              aria-selected={one === all[active]}
              className={styles['option']}
              // Keeps the focus in the field.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => onChoose(one.target)}
            >
              <span className={styles['text']}>{one.text}</span>
              {one.note !== undefined && <span className={styles['note']}>{one.note}</span>}
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}
