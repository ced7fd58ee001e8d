import type { KnownAs as Label } from '../../../../src/client/wire.ts';
import { visible } from '../../text/visible.ts';
import styles from './marks.module.css';

const MEANINGS: Readonly<Record<Label['kind'], string>> = {
  good: 'it belongs to somebody innocent, so it is in no block list and no indicator',
  sinkhole: 'defenders answer there, so it is in no block list and no indicator',
  shared: 'many people share it, and one of them may be malicious',
  scanner: 'it scans the Internet',
};

/** The lists that know a host or a file. Nothing if there is none. */
export function KnownAs({ known }: { readonly known: readonly Label[] }) {
  return known.map(({ list, kind }) => (
    <span
      key={`${kind} ${list}`}
      className={`${styles['tag']} ${styles['plain']}`}
      title={`${visible(list)}: ${MEANINGS[kind]}`}
    >
      <span className={styles['name']}>
        {kind}: {visible(list)}
      </span>
    </span>
  ));
}
