import { excerpt, visible } from '../../text/visible.ts';
import styles from './json.module.css';

interface Props {
  readonly value: unknown;
  readonly depth: number;
  readonly name?: string | undefined;
}

const OPEN_DEPTH = 3;
const OPEN_ITEMS = 40;
const SHOWN_ITEMS = 500;
const SHOWN_LENGTH = 2000;

/** A value of JSON; objects and lists can be folded. */
export function JsonValue({ value, depth, name }: Props) {
  if (typeof value !== 'object' || value === null)
    return (
      <div className={styles['line']}>
        <Name name={name} />
        <Scalar value={value} />
      </div>
    );
  const isList = Array.isArray(value);
  const items = Object.entries(value);
  const [start, end] = isList ? '[]' : '{}';
  if (items.length === 0)
    return (
      <div className={styles['line']}>
        <Name name={name} />
        {start}
        {end}
      </div>
    );
  return (
    <details className={styles['fold']} open={depth < OPEN_DEPTH && items.length <= OPEN_ITEMS}>
      <summary>
        <Name name={name} />
        {start} <span className={styles['quiet']}>{items.length}</span> {end}
      </summary>
      <div className={styles['items']}>
        {items.slice(0, SHOWN_ITEMS).map(([key, one]) => (
          <JsonValue key={key} value={one} depth={depth + 1} name={isList ? undefined : key} />
        ))}
        {items.length > SHOWN_ITEMS && (
          <div className={styles['quiet']}>
            … {items.length - SHOWN_ITEMS} more in the saved file
          </div>
        )}
      </div>
    </details>
  );
}

function Name({ name }: { readonly name: string | undefined }) {
  if (name === undefined) return null;
  return <span className={styles['name']}>{`${visible(JSON.stringify(name))}: `}</span>;
}

function Scalar({ value }: { readonly value: unknown }) {
  const shown = excerpt(JSON.stringify(value) ?? '', SHOWN_LENGTH);
  return (
    <span className={typeof value === 'string' ? styles['text'] : styles['number']}>
      {visible(shown.text)}
      {shown.isCut && '…'}
    </span>
  );
}
