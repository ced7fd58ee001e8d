import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { exportPreviewQuery } from '../../../api/export-preview.ts';
import { Failure, Skeleton } from '../../../components/states.tsx';
import { visible } from '../../../text/visible.ts';
import { type FeedFilter, toListOptions } from '../filters.ts';
import { type ExportChoice, exportPath } from './consumer.ts';
import styles from './use-feed.module.css';

interface Props {
  readonly service: string;
  readonly filter: FeedFilter;
  readonly reads: ExportChoice;
}

/** The first lines of an export, and a link to all of it. */
export function Preview({ service, filter, reads }: Props) {
  const list = toListOptions(filter);
  const { data, error, refetch } = useQuery(
    exportPreviewQuery(service, { ...reads, filter: list }),
  );
  return (
    <section className={styles['preview']} aria-label="Preview">
      <header className={styles['label']}>
        <h4>Preview</h4>
        <a href={exportPath({ service, filter }, reads)} download className={styles['download']}>
          <Download aria-hidden /> Download
        </a>
      </header>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton lines={6} label="Loading the preview" />}
      {data !== undefined && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard
        <pre tabIndex={0} className={styles['text']}>
          {data.lines.map((line) => visible(line)).join('\n')}
          {data.isCut && '\n…'}
        </pre>
      )}
    </section>
  );
}
