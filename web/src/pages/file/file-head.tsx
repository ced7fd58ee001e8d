import { Download } from 'lucide-react';
import { isResearcher, useMe } from '../../api/session.ts';
import buttons from '../../components/button.module.css';
import { Heat } from '../../components/heat.tsx';
import { Time } from '../../components/time.tsx';
import { formatBytes } from '../../text/format.ts';
import { excerpt, visible } from '../../text/visible.ts';
import type { LookedUpFile } from './file.ts';
import styles from './file-page.module.css';

const NAME_LENGTH = 160;
const SHOWN_TAGS = 8;

export function FileHead({ file: { report, details } }: { readonly file: LookedUpFile }) {
  const { fileName, sizeInBytes, date, staticAnalysisDuration, tags } = report;
  const type = details.facts['file']?.['type'];
  const hottest = tags.toSorted((one, other) => other.heat - one.heat);
  const name = excerpt(visible(fileName), NAME_LENGTH);
  return (
    <div className={styles['head']}>
      <div className={styles['title']}>
        <h1 title={visible(fileName)}>
          {name.text}
          {name.isCut && '…'}
        </h1>
        <div className={styles['tags']}>
          {hottest.slice(0, SHOWN_TAGS).map((tag) => (
            <Heat key={tag.name} {...tag} />
          ))}
        </div>
      </div>
      <div className={styles['subtitle']}>
        <span>{typeof type === 'string' ? visible(type) : 'Unknown type'}</span>
        <span>{formatBytes(sizeInBytes)}</span>
        <span>
          analysed <Time at={date} /> in {secondsOf(staticAnalysisDuration)}
        </span>
        <DownloadLink sha256={report.sha256Hash} />
      </div>
    </div>
  );
}

function DownloadLink({ sha256 }: { readonly sha256: string }) {
  if (!isResearcher(useMe())) return null;
  return (
    <a
      href={`/private/sample/${sha256}/file`}
      download={`${sha256}.zip`}
      className={`${buttons['button']} ${buttons['small']} ${buttons['plain']}`}
      title="A zip with the password: infected"
    >
      <Download aria-hidden /> Download
    </a>
  );
}

/** `00:00:00.0427370` is `0.04 s`. */
function secondsOf(duration: string): string {
  const [hours = '0', minutes = '0', seconds = '0'] = duration.split(':');
  const total = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return `${total < 10 ? total.toFixed(2) : Math.round(total)} s`;
}
