import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { Service } from '../../../../src/client/wire.ts';
import { feedSummaryQuery } from '../../api/feed-statistics.ts';
import { Time } from '../../components/marks/time.tsx';
import { Sparkline } from '../../components/plots/sparkline.tsx';
import { defang } from '../../text/defang.ts';
import { count, formatNumber } from '../../text/format.ts';
import { UNCLAIMED, UNCLAIMED_MEANING } from '../../text/unclaimed.ts';
import { visible } from '../../text/visible.ts';
import styles from './feeds-page.module.css';

const SHOWN_PATTERNS = 4;

/** A feed in the list, with what is open in it. */
export function FeedCard({ service }: { readonly service: Service }) {
  const { slug, name, hosts, networks } = service;
  const card = useRef<HTMLLIElement>(null);
  const isSeen = useSeen(card);
  return (
    <li ref={card} className={styles['feed']}>
      <div className={styles['head']}>
        <h2>
          <Link to="/feeds/$service" params={{ service: slug }} className={styles['link']}>
            {visible(name)}
          </Link>
        </h2>
        <code>{slug}</code>
      </div>
      <Figures service={slug} isSeen={isSeen} />
      <p className={styles['patterns']}>
        {slug === UNCLAIMED ? `${UNCLAIMED_MEANING}.` : patternsOf([...hosts, ...networks])}
      </p>
    </li>
  );
}

/** The figures are read when the card comes into view: there may be hundreds of feeds. */
function Figures({ service, isSeen }: { readonly service: string; readonly isSeen: boolean }) {
  const { data, error } = useQuery({ ...feedSummaryQuery(service), enabled: isSeen });
  if (data === undefined)
    return (
      <div className={styles['figures']}>
        {error !== null && <p className={styles['none']}>The figures cannot be read.</p>}
      </div>
    );
  const { statistics, lastReportedAt } = data;
  const reported = statistics.days.map((day) => day.reported);
  const total = reported.reduce((sum, one) => sum + one, 0);
  return (
    <div className={styles['figures']}>
      <p>
        <b>{formatNumber(statistics.statuses.open)}</b> open
      </p>
      <p className={styles['last']}>
        {lastReportedAt === undefined ? (
          'no reports yet'
        ) : (
          <>
            last report <Time at={lastReportedAt} />
          </>
        )}
      </p>
      {total > 0 && <Sparkline values={reported} label={`${count(total, 'report')} in 30 days`} />}
    </div>
  );
}

function useSeen(element: React.RefObject<HTMLElement | null>): boolean {
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    if (element.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
      },
      { rootMargin: '200px' },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return isSeen;
}

function patternsOf(patterns: readonly string[]): string {
  if (patterns.length === 0) return 'No hosts or networks are declared.';
  const more = patterns.length - SHOWN_PATTERNS;
  const shown = patterns
    .slice(0, SHOWN_PATTERNS)
    .map((pattern) => visible(defang(pattern)))
    .join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}
