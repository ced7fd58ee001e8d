import type { ReactNode } from 'react';
import styles from './gallery.module.css';

interface Props {
  readonly name: string;
  readonly children: ReactNode;
  /** Takes the whole width. */
  readonly isWide?: boolean;
}

/** One component in one state, or in several that belong together. */
export function Example({ name, children, isWide = false }: Props) {
  return (
    <div className={isWide ? styles['wide'] : styles['example']}>
      <h3>{name}</h3>
      <div className={styles['content']}>{children}</div>
    </div>
  );
}

export function Examples({ children }: { readonly children: ReactNode }) {
  return <div className={styles['examples']}>{children}</div>;
}
