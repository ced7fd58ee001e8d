import { CopyButton } from '../../components/identifiers/copy-button.tsx';
import { Section } from '../../components/page.tsx';
import { Empty } from '../../components/states.tsx';
import { defangText } from '../../text/defang.ts';
import { count, formatNumber } from '../../text/format.ts';
import { brief, excerpt, visible } from '../../text/visible.ts';
import type { LookedUpFile } from './file.ts';
import styles from './file-page.module.css';

/** What the malware is configured with: a table per family. */
export function SettingsTab({ file: { report, details } }: { readonly file: LookedUpFile }) {
  const families = Object.entries(report.configs);
  if (families.length === 0)
    return (
      <Empty title="No settings were found">
        <p>The file belongs to no family whose settings we can read, or it has none.</p>
      </Empty>
    );
  const hosts = (details.c2s ?? []).map(({ host }) => host);
  return families.map(([family, settings]) => (
    <Section
      key={family}
      title={brief(family)}
      aside={
        <span className={styles['quiet']}>
          {count(Object.keys(settings).length, 'setting')}; addresses are shown defanged and copied
          as they are
        </span>
      }
    >
      <table className={`${styles['table']} ${styles['settings']}`}>
        <thead>
          <tr>
            <th scope="col">Setting</th>
            <th scope="col">Value</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(settings).map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{visible(excerpt(name, NAME_LENGTH).text)}</th>
              <td>
                <Value value={value} name={excerpt(name, NAME_LENGTH).text} hosts={hosts} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  ));
}

const NAME_LENGTH = 200;
const SHOWN_LENGTH = 2000;

interface ValueProps {
  readonly value: unknown;
  readonly name: string;
  readonly hosts: readonly string[];
}

/** Hostile text, shown inert and cut if it is long; copying gives the whole text. */
function Value({ value, name, hosts }: ValueProps) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 1);
  const shown = excerpt(text, SHOWN_LENGTH);
  if (text === '') return <span className={styles['quiet']}>empty</span>;
  return (
    <div className={styles['value']}>
      <code>
        {visible(defangText(shown.text, hosts))}
        {shown.isCut && (
          <span className={styles['quiet']}>
            {` … ${formatNumber(text.length)} characters; copy to see all`}
          </span>
        )}
      </code>
      <CopyButton text={text} what={visible(name)} />
    </div>
  );
}
