import { ArrowUp } from 'lucide-react';
import { Button } from '../../components/button.tsx';
import { formatNumber } from '../../text/format.ts';
import styles from './feed-page.module.css';
import { MAX_ARRIVED } from './report-list.ts';

interface Props {
  readonly arrived: number;
  readonly onShow: () => void;
}

/** Shows arrived reports on demand. The live region is always mounted, so that it is announced. */
export function NewPill({ arrived, onShow }: Props) {
  return (
    <div className={styles['arrived']} role="status">
      {arrived > 0 && (
        <Button size="small" look="primary" onClick={onShow}>
          <ArrowUp aria-hidden /> {formatNumber(arrived)}
          {arrived >= MAX_ARRIVED && '+'} new
        </Button>
      )}
    </div>
  );
}
