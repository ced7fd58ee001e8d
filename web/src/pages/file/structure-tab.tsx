import { FactList } from '../../components/fact-list.tsx';
import { Section } from '../../components/page.tsx';
import { Empty } from '../../components/states.tsx';
import { brief } from '../../text/visible.ts';
import { EntropyPlot } from './entropy-plot.tsx';
import { FactTable, FactText, NameList } from './fact-values.tsx';
import { isRecord, labelOf, sectionsOf } from './facts.ts';
import type { LookedUpFile } from './file.ts';
import styles from './structure.module.css';
import { IMPORTED } from './verdict.ts';

/** What the parsers read: sections with their entropy, imports, resources, and all other facts. */
export function StructureTab({
  file: { report, details, isImported },
}: {
  readonly file: LookedUpFile;
}) {
  const formats = Object.entries(details.facts);
  if (formats.length === 0)
    return (
      <Empty title="No structure was read">
        <p>{isImported ? IMPORTED : 'No parser knows the format of this file.'}</p>
      </Empty>
    );
  const sections = sectionsOf(details.facts);
  return (
    <>
      {sections.length > 0 && (
        <Section title="Entropy along the file">
          <EntropyPlot sections={sections} sizeBytes={report.sizeInBytes} />
        </Section>
      )}
      {formats.toSorted(fileFirst).map(([format, values]) => (
        <Format key={format} format={format} values={values} />
      ))}
    </>
  );
}

/** The facts that every file has come before those of its format. */
function fileFirst([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return Number(other === 'file') - Number(one === 'file');
}

interface FormatProps {
  readonly format: string;
  readonly values: Readonly<Record<string, unknown>>;
}

function Format({ format, values }: FormatProps) {
  const entries = Object.entries(values);
  const parts = entries.filter(([, value]) => isPart(value));
  return (
    <Section title={labelOf(brief(format))}>
      <FactList
        facts={entries
          .filter(([, value]) => !isPart(value))
          .map(([name, value]) => ({
            name: labelOf(brief(name)),
            value: <FactText name={name} value={value} />,
          }))}
      />
      {parts.map(([name, value]) => (
        <Part key={name} name={name} value={value} />
      ))}
    </Section>
  );
}

/** Lists of objects, long lists and nested objects are shown below the simple facts. */
function isPart(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > LINE_ITEMS || value.some(isRecord);
  return isRecord(value) && Object.keys(value).length > 0;
}

const LINE_ITEMS = 8;
const OPEN_ITEMS = 30;

function Part({ name, value }: { readonly name: string; readonly value: unknown }) {
  const size = Array.isArray(value) ? value.length : undefined;
  return (
    <details className={styles['part']} open={(size ?? 0) <= OPEN_ITEMS}>
      <summary>
        <h3>{labelOf(brief(name))}</h3>
        {size !== undefined && <span className={styles['quiet']}>{size}</span>}
      </summary>
      <PartContent name={name} value={value} />
    </details>
  );
}

function PartContent({ name, value }: { readonly name: string; readonly value: unknown }) {
  if (Array.isArray(value))
    return value.some(isRecord) ? (
      <FactTable records={value.filter(isRecord)} />
    ) : (
      <NameList names={value} />
    );
  if (!isRecord(value)) return <FactText name={name} value={value} />;
  const entries = Object.entries(value);
  return (
    <>
      <FactList
        facts={entries
          .filter(([, one]) => !isPart(one))
          .map(([key, one]) => ({
            name: labelOf(brief(key)),
            value: <FactText name={key} value={one} />,
          }))}
      />
      {entries
        .filter(([, one]) => isPart(one))
        .map(([key, one]) => (
          <Part key={key} name={key} value={one} />
        ))}
    </>
  );
}
