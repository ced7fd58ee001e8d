import { formatUtc } from '../../text/format.ts';
import { brief, excerpt, visible } from '../../text/visible.ts';
import { labelOf } from './facts.ts';
import styles from './structure.module.css';

interface FactProps {
  readonly name: string;
  readonly value: unknown;
}

/** One value, formatted as its name suggests: sizes, times, offsets. */
export function FactText({ name, value }: FactProps) {
  if (value === null || value === undefined || value === '' || isEmptyList(value))
    return <span className={styles['quiet']}>none</span>;
  return (
    <span className={isMono(name) && typeof value !== 'boolean' ? styles['mono'] : undefined}>
      {textOf(name, value)}
    </span>
  );
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function isMono(name: string): boolean {
  return /(?:hash|sha1|sha256|md5|digest|serial|mvid|access|address|offset|point|base)$/i.test(
    name,
  );
}

const SHOWN_LENGTH = 1000;

function textOf(name: string, value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return numberText(name, value);
  if (Array.isArray(value)) return value.map((one) => textOf(name, one)).join(', ');
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)) return formatUtc(new Date(text));
  const shown = excerpt(text, SHOWN_LENGTH);
  return visible(shown.text) + (shown.isCut ? ` … (${text.length} characters)` : '');
}

/** Positions are read in hexadecimal, as in every other tool. */
function numberText(name: string, value: number): string {
  if (/(?:offset|address|rva)$/i.test(name)) return `0x${value.toString(16)}`;
  if (/entropy$/i.test(name)) return value.toFixed(2);
  return value.toLocaleString('en');
}

const SHOWN_ROWS = 300;

/** A list of like objects as a table. */
export function FactTable({
  records,
}: {
  readonly records: readonly Readonly<Record<string, unknown>>[];
}) {
  const names = [...new Set(records.slice(0, SHOWN_ROWS).flatMap(Object.keys))];
  const isNumeric = (name: string) => typeof records[0]?.[name] === 'number';
  return (
    <div className={styles['scroll']}>
      <table className={styles['table']}>
        <thead>
          <tr>
            {names.map((name) => (
              <th
                key={name}
                scope="col"
                className={isNumeric(name) ? styles['numeric'] : undefined}
              >
                {labelOf(brief(name))}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {records.slice(0, SHOWN_ROWS).map((record, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
            <tr key={index}>
              {names.map((name) => (
                <td key={name} className={isNumeric(name) ? styles['numeric'] : undefined}>
                  <FactText name={name} value={record[name]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <More shown={SHOWN_ROWS} total={records.length} />
    </div>
  );
}

const SHOWN_NAMES = 1000;

/** Many short texts, such as the names of functions. */
export function NameList({ names }: { readonly names: readonly unknown[] }) {
  return (
    <>
      <ul className={styles['names']}>
        {names.slice(0, SHOWN_NAMES).map((name, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
          <li key={index}>{textOf('', name)}</li>
        ))}
      </ul>
      <More shown={SHOWN_NAMES} total={names.length} />
    </>
  );
}

function More({ shown, total }: { readonly shown: number; readonly total: number }) {
  if (total <= shown) return null;
  return <p className={styles['quiet']}>and {total - shown} more, in the details of the API</p>;
}
