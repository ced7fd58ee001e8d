import { FactList } from '../../components/fact-list.tsx';
import { Section } from '../../components/page.tsx';
import { Empty } from '../../components/states.tsx';
import { visible } from '../../text/visible.ts';
import { EntropyPlot, type FileSection } from './entropy-plot.tsx';
import styles from './file-page.module.css';

type Facts = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

interface Props {
  readonly facts: Facts;
  readonly sizeBytes: number;
}

/** What the parsers read: sections with their entropy, imports, resources, and all other facts. */
export function StructureTab({ facts, sizeBytes }: Props) {
  const formats = Object.entries(facts);
  if (formats.length === 0)
    return (
      <Empty title="No structure was read">
        <p>No parser knows the format of this file.</p>
      </Empty>
    );
  return formats.map(([format, values]) => (
    <Section key={format} title={visible(format)}>
      <EntropyPlot sections={sectionsOf(values['sections'])} sizeBytes={sizeBytes} />
      <FactList
        facts={Object.entries(values).map(([name, value]) => ({
          name: visible(name),
          value: <Value value={value} />,
        }))}
      />
    </Section>
  ));
}

function sectionsOf(value: unknown): readonly FileSection[] {
  if (!Array.isArray(value)) return [];
  return value.filter(
    (one): one is FileSection =>
      typeof one?.name === 'string' &&
      typeof one.offset === 'number' &&
      typeof one.size === 'number' &&
      typeof one.entropy === 'number',
  );
}

const SHOWN_ITEMS = 200;

function Value({ value }: { readonly value: unknown }) {
  if (!Array.isArray(value)) return <Single value={value} />;
  if (value.length === 0) return <span className={styles['quiet']}>none</span>;
  if (value.every(isRecord)) return <Records records={value.slice(0, SHOWN_ITEMS)} />;
  return <span>{value.slice(0, SHOWN_ITEMS).map(textOf).join(', ')}</span>;
}

function Single({ value }: { readonly value: unknown }) {
  if (!isRecord(value)) return <span>{textOf(value)}</span>;
  return (
    <FactList
      facts={Object.entries(value).map(([name, one]) => ({
        name: visible(name),
        value: textOf(one),
      }))}
    />
  );
}

/** A list of like objects as a table. */
function Records({ records }: { readonly records: readonly Readonly<Record<string, unknown>>[] }) {
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
  return (
    <div className={styles['scroll']}>
      <table className={styles['table']}>
        <thead>
          <tr>
            {names.map((name) => (
              <th key={name} scope="col">
                {visible(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {records.map((record, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
            <tr key={index}>
              {names.map((name) => (
                <td key={name}>{textOf(record[name])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'string') return visible(value);
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return typeof value === 'object' ? visible(JSON.stringify(value)) : String(value);
}
