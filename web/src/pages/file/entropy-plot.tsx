import { visible } from '../../text/visible.ts';
import styles from './file-page.module.css';

export interface FileSection {
  readonly name: string;
  readonly offset: number;
  readonly size: number;
  readonly entropy: number;
}

interface Props {
  readonly sections: readonly FileSection[];
  readonly sizeBytes: number;
}

const WIDTH = 1000;
const HEIGHT = 72;
const MAX_ENTROPY = 8;
/** From here on the content is compressed or encrypted. */
const PACKED = 7;

/** The sections along the file; their height is their entropy, 0 to 8 bits per byte. */
export function EntropyPlot({ sections, sizeBytes }: Props) {
  if (sections.length === 0 || sizeBytes === 0) return null;
  return (
    <figure className={styles['entropy']}>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label="Entropy of the sections along the file"
      >
        {sections.map(({ name, offset, size, entropy }) => {
          const height = (HEIGHT * entropy) / MAX_ENTROPY;
          return (
            <rect
              key={`${name} ${offset}`}
              x={(WIDTH * offset) / sizeBytes}
              y={HEIGHT - height}
              width={Math.max(2, (WIDTH * size) / sizeBytes - 1)}
              height={height}
              className={entropy >= PACKED ? styles['packed'] : styles['ordinary']}
            >
              <title>{`${visible(name)}: entropy ${entropy.toFixed(2)}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption>
        {sections.map(({ name, offset, entropy }) => (
          <span key={`${name} ${offset}`}>
            {visible(name)} {entropy.toFixed(1)}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}
