import type { ReactNode } from 'react';
import styles from './verdict.module.css';
import type { VerdictLevel } from './verdict-level.ts';

interface Props {
  readonly level: VerdictLevel;
  readonly title: string;
  readonly children: ReactNode;
}

/** The first line of a page: whether its subject is bad, and why we say so. */
export function VerdictBox({ level, title, children }: Props) {
  return (
    <div className={`${styles['verdict']} ${styles[level]}`}>
      <b>{title}</b>
      <p>{children}</p>
    </div>
  );
}
