import { visible } from '../../text/visible.ts';
import styles from './marks.module.css';

interface Props {
  readonly name: string;
  /** 1–10. */
  readonly heat: number;
}

/** A tag of an analysis with its heat: one scale everywhere, always with the number. */
export function Heat({ name, heat }: Props) {
  return (
    <span className={`${styles['tag']} ${styles[levelOf(heat)]}`}>
      <span className={styles['name']}>{visible(name)}</span>
      <span className={styles['number']} title={`Heat ${heat} of 10`}>
        {heat}
      </span>
    </span>
  );
}

function levelOf(heat: number): 'low' | 'medium' | 'high' | 'top' {
  if (heat >= 9) return 'top';
  if (heat >= 7) return 'high';
  return heat >= 4 ? 'medium' : 'low';
}

/** A tag that a researcher gave: it has no heat. */
export function Tag({ name }: { readonly name: string }) {
  return (
    <span className={`${styles['tag']} ${styles['plain']}`}>
      <span className={styles['name']}>{visible(name)}</span>
    </span>
  );
}
