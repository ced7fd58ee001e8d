import { Link } from '@tanstack/react-router';
import { CopyButton } from './copy-button.tsx';
import styles from './identifiers.module.css';

interface Props {
  readonly value: string;
  /** `SHA-256`, `MD5`. */
  readonly kind: string;
  /** Whether it links to the page of the file. */
  readonly isLinked?: boolean;
  /** Shows the first and last digits, however wide the screen is. */
  readonly isShort?: boolean;
}

const ENDS = 8;

/** A hash, shortened in the middle where it does not fit; what is copied is always whole. */
export function Hash({ value, kind, isLinked = false, isShort = false }: Props) {
  const content =
    isShort && value.length > 2 * ENDS + 1 ? (
      <>
        {value.slice(0, ENDS)}…{value.slice(-ENDS)}
      </>
    ) : (
      <Halves value={value} />
    );
  return (
    <span className={styles['identifier']} title={value}>
      {isLinked ? (
        <Link to="/files/$hash" params={{ hash: value }} className={styles['text']}>
          {content}
        </Link>
      ) : (
        <span className={styles['text']}>{content}</span>
      )}
      <CopyButton text={value} what={kind} />
    </span>
  );
}

/** Two halves, of which the first is cut where space is missing: the end stays readable. */
function Halves({ value }: { readonly value: string }) {
  return (
    <span className={styles['halves']}>
      <span className={styles['start']}>{value.slice(0, -ENDS)}</span>
      <span>{value.slice(-ENDS)}</span>
    </span>
  );
}
