import { Link, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import styles from './filter-link.module.css';
import { type FilterName, filterFromSearch, withFilter } from './filters.ts';

interface Props {
  readonly service: string;
  readonly name: FilterName;
  readonly value: string;
  readonly tabIndex: number;
  readonly children: ReactNode;
}

/** A value that filters its feed: in addition to the filters in force, if the feed is shown. */
export function FilterLink({ service, name, value, tabIndex, children }: Props) {
  const router = useRouter();
  const search = (current: Readonly<Record<string, unknown>>) => {
    const isShown = router.state.location.pathname === `/feeds/${encodeURIComponent(service)}`;
    return withFilter(isShown ? filterFromSearch(current) : {}, name, value);
  };
  return (
    <Link
      to="/feeds/$service"
      params={{ service }}
      search={search}
      activeOptions={{ exact: true, includeSearch: true }}
      preload={false}
      tabIndex={tabIndex}
      className={styles['filter']}
    >
      {children}
    </Link>
  );
}
