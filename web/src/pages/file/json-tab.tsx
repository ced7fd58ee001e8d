import { CopyButton } from '../../components/copy-button.tsx';
import { Section } from '../../components/page.tsx';
import type { LookedUpFile } from './file.ts';
import styles from './file-page.module.css';

/** The report as the API gives it. */
export function JsonTab({ file: { report } }: { readonly file: LookedUpFile }) {
  const text = JSON.stringify(report, null, 2);
  return (
    <Section
      title="The report as the API gives it"
      aside={<CopyButton text={text} what="the report" />}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable */}
      <pre className={styles['json']} tabIndex={0}>
        {text}
      </pre>
    </Section>
  );
}
