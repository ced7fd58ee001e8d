import { Button } from '../../components/button.tsx';
import { splitTags } from './draft.ts';
import styles from './new-report-page.module.css';

interface Props {
  readonly tags: readonly string[];
  readonly chosen: string;
  readonly onAdd: (tags: string) => void;
}

/** Tags of the file's analysis that the draft lacks. */
export function SuggestedTags({ tags, chosen, onAdd }: Props) {
  const has = new Set(splitTags(chosen));
  const missing = tags.filter((tag) => !has.has(tag));
  if (missing.length === 0) return null;
  return (
    <div className={styles['suggestions']}>
      <span>Found in the file:</span>
      {missing.map((tag) => (
        <Button key={tag} size="small" onClick={() => onAdd([...has, tag].join(', '))}>
          + {tag}
        </Button>
      ))}
    </div>
  );
}
