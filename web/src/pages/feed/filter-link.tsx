import { useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { LightLink } from '../../components/light-link.tsx';
import { stringifySearch } from '../../text/search-values.ts';
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
  const feed = `/feeds/${encodeURIComponent(service)}`;
  const target = () => {
    const { pathname, search } = router.state.location;
    const filter = pathname === feed ? filterFromSearch(search) : {};
    return `${feed}${stringifySearch({ ...withFilter(filter, name, value) })}`;
  };
  return (
    <LightLink
      href={`${feed}${stringifySearch({ [name]: value })}`}
      target={target}
      tabIndex={tabIndex}
      className={styles['filter']}
    >
      {children}
    </LightLink>
  );
}
