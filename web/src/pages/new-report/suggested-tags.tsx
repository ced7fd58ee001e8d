import { Button } from '../../components/button.tsx';
import { visible } from '../../text/visible.ts';
import { splitTags } from './draft.ts';
import styles from './new-report-page.module.css';

interface Props {
  readonly fileName: string;
  readonly tags: readonly { readonly name: string; readonly heat: number }[];
  readonly chosen: string;
  readonly onAdd: (tags: string) => void;
}

/** Tags of the file's analysis that the draft lacks, the hottest first. */
export function SuggestedTags({ fileName, tags, chosen, onAdd }: Props) {
  const has = new Set(splitTags(chosen));
  const missing = tags
    .toSorted((one, other) => other.heat - one.heat)
    .map(({ name }) => name.toLowerCase())
    .filter((tag) => !has.has(tag));
  return (
    <div className={styles['suggestions']}>
      <span className={styles['name']}>
        {missing.length === 0 ? 'Analysed here:' : 'Found in'} {visible(fileName)}
      </span>
      {missing.map((tag) => (
        <Button key={tag} size="small" onClick={() => onAdd([...has, tag].join(', '))}>
          + {visible(tag)}
        </Button>
      ))}
    </div>
  );
}
