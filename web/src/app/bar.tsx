import { Link, useRouterState } from '@tanstack/react-router';
import { Inbox, Rss, Upload } from 'lucide-react';
import { isResearcher, type Me } from '../api/session.ts';
import { QuotaRing } from '../components/marks/quota-ring.tsx';
import { SearchBox } from '../components/search/search-box.tsx';
import { AccountMenu } from './account-menu.tsx';
import { DeskCount } from './desk-count.tsx';
import styles from './frame.module.css';

export function Bar({ me }: { readonly me: Me }) {
  // The results page keeps the query in the field.
  const query = useRouterState({
    select: ({ location: { pathname, search } }) =>
      pathname === '/find' ? ((search as { q?: string }).q ?? '') : '',
  });
  // The home page has a larger search box.
  const hasSearch = useRouterState({ select: ({ location }) => location.pathname !== '/' });
  return (
    <header className={styles['bar']}>
      <Link to="/" className={styles['brand']}>
        Rapsheet
      </Link>
      {hasSearch && (
        <div className={styles['search']}>
          <SearchBox key={query} initialText={query} />
        </div>
      )}
      <nav className={styles['links']} aria-label="Pages">
        <Link to="/feeds" className={`${styles['link']} ${styles['page']}`}>
          <Rss aria-hidden />
          <span>Feeds</span>
        </Link>
        {me.services.length > 0 && (
          <Link to="/desk" className={styles['link']}>
            <Inbox aria-hidden />
            <span>Desk</span>
            <DeskCount services={me.services.map(({ slug }) => slug)} />
          </Link>
        )}
        {isResearcher(me) && (
          <Link to="/upload" className={`${styles['link']} ${styles['page']}`}>
            <Upload aria-hidden />
            <span>Upload</span>
          </Link>
        )}
        <Link to="/account" className={styles['link']}>
          <QuotaRing quota={me.quota} />
        </Link>
        <AccountMenu me={me} />
      </nav>
    </header>
  );
}
