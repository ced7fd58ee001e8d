import { X } from 'lucide-react';
import styles from './chip.module.css';

interface Props {
  /** `status`, `tag`. */
  readonly name: string;
  readonly value: string;
  /** The label of the button; by default it names a filter. */
  readonly removeLabel?: string;
  readonly onRemove: () => void;
}

/** A filter in force, with a button that removes it. */
export function Chip({
  name,
  value,
  removeLabel = `Remove the filter ${name} ${value}`,
  onRemove,
}: Props) {
  return (
    <span className={styles['chip']}>
      <span className={styles['name']}>{name}</span>
      <span className={styles['value']}>{value}</span>
      <button type="button" aria-label={removeLabel} onClick={onRemove}>
        <X aria-hidden />
      </button>
    </span>
  );
}
