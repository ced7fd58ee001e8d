import { Download } from 'lucide-react';
import { Button } from '../../components/button.tsx';
import { CopyButton } from '../../components/identifiers/copy-button.tsx';
import { Section } from '../../components/page.tsx';
import { saveFile } from '../../components/save-file.ts';
import type { LookedUpFile } from './file.ts';
import styles from './json.module.css';
import { JsonValue } from './json-value.tsx';

/** Report and details as the API gives them, for copying, saving and folding. */
export function JsonTab({
  file: { report, details, isImported },
}: {
  readonly file: LookedUpFile;
}) {
  return (
    <>
      <Document title="Report" name={report.sha256Hash} value={report} />
      {!isImported && (
        <Document title="Details" name={`${report.sha256Hash}-details`} value={details} />
      )}
    </>
  );
}

interface Props {
  readonly title: string;
  /** The name of the saved file, without extension. */
  readonly name: string;
  readonly value: unknown;
}

function Document({ title, name, value }: Props) {
  const text = JSON.stringify(value, null, 2);
  return (
    <Section
      title={title}
      aside={
        <span className={styles['actions']}>
          <Button
            size="small"
            look="quiet"
            onClick={() => saveFile(`${name}.json`, `${text}\n`, 'application/json')}
          >
            <Download aria-hidden /> Save
          </Button>
          <CopyButton text={text} what={title.toLowerCase()} />
        </span>
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable */}
      <div className={styles['json']} tabIndex={0}>
        <JsonValue value={value} depth={0} />
      </div>
    </Section>
  );
}
