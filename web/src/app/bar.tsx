import { Link } from '@tanstack/react-router';
import { Inbox, Rss, Upload } from 'lucide-react';
import { isResearcher, type Me } from '../api/session.ts';
import { QuotaRing } from '../components/quota-ring.tsx';
import { AccountMenu } from './account-menu.tsx';
import { DeskCount } from './desk-count.tsx';
import styles from './frame.module.css';
import { SearchBox } from './search/search-box.tsx';

export function Bar({ me }: { readonly me: Me }) {
  const { limit, remaining } = me.quota;
  return (
    <header className={styles['bar']}>
      <Link to="/" className={styles['brand']}>
        Rapsheet
      </Link>
      <div className={styles['search']}>
        <SearchBox />
      </div>
      <nav className={styles['links']} aria-label="Pages">
        <Link to="/feeds" className={styles['link']}>
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
          <Link to="/upload" className={styles['link']}>
            <Upload aria-hidden />
            <span>Upload</span>
          </Link>
        )}
        <Link to="/account" className={styles['link']} aria-label="Lookup quota">
          <QuotaRing limit={limit} remaining={remaining} />
        </Link>
        <AccountMenu me={me} />
      </nav>
    </header>
  );
}
