import type { ExtendedReport } from '../../../../src/client/wire.ts';
import styles from './marks.module.css';

type Confirmed = ExtendedReport['confirmation'];

export const CONFIRMATION_SIGNS: Readonly<Record<Confirmed, string>> = {
  confirmed: '✓',
  contradicted: '✗',
  unknown: '?',
};

export const CONFIRMATIONS = Object.keys(CONFIRMATION_SIGNS) as readonly Confirmed[];

const MEANINGS: Readonly<Record<Confirmed, string>> = {
  confirmed: 'The settings of the file name this C2',
  contradicted: 'The settings of the file name other addresses, not this C2',
  unknown: 'No settings of the file are known',
};

/** What the settings of the reported file say about the C2. */
export function Confirmation({ value }: { readonly value: Confirmed }) {
  return (
    <span className={`${styles['status']} ${styles[value]}`} title={MEANINGS[value]}>
      <span aria-hidden className={styles['sign']}>
        {CONFIRMATION_SIGNS[value]}
      </span>
      {value}
    </span>
  );
}

type Routed = Pick<ExtendedReport, 'misrouted' | 'routedTo'>;

/** Names the service that answers for the C2 if it is not the one of the feed. */
export function Misrouted({ report: { misrouted, routedTo } }: { readonly report: Routed }) {
  if (!misrouted) return null;
  return (
    <span className={styles['misrouted']} title={`Misrouted: ${routedTo} answers for this C2`}>
      → {routedTo}
    </span>
  );
}
