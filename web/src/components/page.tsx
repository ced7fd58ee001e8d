import { type ReactNode, useEffect } from 'react';
import styles from './page.module.css';

interface Props {
  /** The title of the browser's tab. */
  readonly title: string;
  /** The head of the page; by default its title as a heading. */
  readonly head?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  /** `prose` for pages that are read, `wide` for tables. */
  readonly width?: 'wide' | 'prose';
}

/** The frame of a page's content. */
export function Page({ title, head, actions, children, width = 'wide' }: Props) {
  useEffect(() => {
    document.title = title === 'Rapsheet' ? title : `${title} · Rapsheet`;
  }, [title]);
  return (
    <div className={`${styles['page']} ${styles[width]}`}>
      <header className={styles['head']}>
        {head ?? <h1>{title}</h1>}
        {actions !== undefined && <div className={styles['actions']}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

interface SectionProps {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

export function Section({ title, aside, children }: SectionProps) {
  return (
    <section className={styles['section']} aria-label={title}>
      <div className={styles['sectionHead']}>
        <h2>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}
