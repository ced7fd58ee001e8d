import type { ReactNode } from 'react';
import styles from './fact-list.module.css';

export interface Fact {
  readonly name: string;
  readonly value: ReactNode;
}

/** Names and values, one per line. */
export function FactList({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className={styles['list']}>
      {facts.map(({ name, value }) => (
        <div key={name} className={styles['row']}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
