import { Heat } from '../../components/marks/heat.tsx';
import { Time } from '../../components/marks/time.tsx';
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
  const more = hottest.slice(SHOWN_TAGS);
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
          {more.length > 0 && (
            <span
              className={styles['quiet']}
              title={more.map((tag) => `${visible(tag.name)} ${tag.heat}`).join(', ')}
            >
              +{more.length}
            </span>
          )}
        </div>
      </div>
      <p className={styles['subtitle']}>
        <span>{typeof type === 'string' ? visible(type) : 'Unknown type'}</span>
        <span>{formatBytes(sizeInBytes)}</span>
        <span>
          analysed <Time at={date} /> in {secondsOf(staticAnalysisDuration)}
        </span>
      </p>
    </div>
  );
}

/** `00:00:00.0427370` is `0.04 s`. */
function secondsOf(duration: string): string {
  const [hours = '0', minutes = '0', seconds = '0'] = duration.split(':');
  const total = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return `${total < 10 ? total.toFixed(2) : Math.round(total)}\u00a0s`;
}
