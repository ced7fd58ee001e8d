import { Copy, Download, Link as LinkIcon } from 'lucide-react';
import { Button } from '../../components/button.tsx';
import { copyText } from '../../components/identifiers/copy-text.ts';
import { showToast } from '../../components/overlays/toasts.tsx';
import { saveFile } from '../../components/save-file.ts';
import { count } from '../../text/format.ts';
import { type Answer, indicatorsOf, toCsv } from './exported-results.ts';
import styles from './find-page.module.css';

interface Props {
  readonly answers: readonly Answer[];
  /** What the file of JSON holds: the answer of the server. */
  readonly json: object;
}

/** What was found, to take away. It has the results that the page shows, and no others. */
export function ExportButtons({ answers, json }: Props) {
  const indicators = indicatorsOf(answers);
  return (
    <div className={styles['exports']}>
      <Button
        size="small"
        disabled={indicators.length === 0}
        onClick={() => void copy(indicators.join('\n'), count(indicators.length, 'indicator'))}
      >
        <Copy aria-hidden /> Copy all
      </Button>
      <Button size="small" onClick={() => saveFile('search.csv', toCsv(answers), 'text/csv')}>
        <Download aria-hidden /> CSV
      </Button>
      <Button
        size="small"
        onClick={() =>
          saveFile('search.json', `${JSON.stringify(json, undefined, 2)}\n`, 'application/json')
        }
      >
        <Download aria-hidden /> JSON
      </Button>
      <Button size="small" onClick={() => void copy(location.href, 'the link to this search')}>
        <LinkIcon aria-hidden /> Copy link
      </Button>
    </div>
  );
}

async function copy(text: string, what: string): Promise<void> {
  const isDone = await copyText(text);
  showToast(
    isDone ? { text: `Copied ${what}.` } : { text: 'The browser refused to copy.', isError: true },
  );
}
