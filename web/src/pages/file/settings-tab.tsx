import { CopyButton } from '../../components/copy-button.tsx';
import { Section } from '../../components/page.tsx';
import { Empty } from '../../components/states.tsx';
import { excerpt, visible } from '../../text/visible.ts';
import styles from './file-page.module.css';

type Configs = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** What the malware is configured with: a table per family. */
export function SettingsTab({ configs }: { readonly configs: Configs }) {
  const families = Object.entries(configs);
  if (families.length === 0)
    return (
      <Empty title="No settings were found">
        <p>The file belongs to no family whose settings we can read, or it has none.</p>
      </Empty>
    );
  return families.map(([family, settings]) => (
    <Section key={family} title={visible(family)}>
      <table className={styles['table']}>
        <thead>
          <tr>
            <th scope="col">Setting</th>
            <th scope="col">Value</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(settings).map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{visible(name)}</th>
              <td>
                <Value value={value} name={name} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  ));
}

const SHOWN_LENGTH = 2000;

/** Hostile text: shown as it is, cut where it is long; copying gives all of it. */
function Value({ value, name }: { readonly value: unknown; readonly name: string }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 1);
  const shown = excerpt(text, SHOWN_LENGTH);
  return (
    <div className={styles['value']}>
      <code>
        {visible(shown.text)}
        {shown.isCut && ` … (${text.length} characters)`}
      </code>
      <CopyButton text={text} what={name} />
    </div>
  );
}
