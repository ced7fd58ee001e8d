import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { isResearcher, useMe } from '../../api/session.ts';
import { IconButton } from '../../components/button.tsx';
import { CopyButton } from '../../components/identifiers/copy-button.tsx';
import { feedCommands } from './feed-commands.ts';
import type { FeedFilter } from './filters.ts';
import styles from './use-feed.module.css';

interface Props {
  readonly service: string;
  readonly filter: FeedFilter;
  readonly onClose: () => void;
}

/** How programs read the feed, with the lines to paste. Loaded when it is opened. */
export default function UseFeed({ service, filter, onClose }: Props) {
  const me = useMe();
  const commands = feedCommands({
    origin: location.origin,
    service,
    filter,
    isOwner: me.services.some(({ slug }) => slug === service),
    isResearcher: isResearcher(me),
  });
  return (
    <section className={styles['panel']} aria-label="Use this feed">
      <header className={styles['head']}>
        <h2>Use this feed</h2>
        <IconButton label="Close" icon={<X aria-hidden />} onClick={onClose} />
      </header>
      <p className={styles['note']}>
        Set <code>TOKEN</code> first: <Link to="/account">issue a token</Link> for your program. The{' '}
        <a href="/docs">API reference</a> has every call and filter.
      </p>
      <ul className={styles['commands']}>
        {commands.map(({ title, note, line }) => (
          <li key={title} className={styles['command']}>
            <h3>{title}</h3>
            <p className={styles['note']}>{note}</p>
            <div className={styles['line']}>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard */}
              <pre tabIndex={0}>{line}</pre>
              <CopyButton text={line} what="the line" />
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
