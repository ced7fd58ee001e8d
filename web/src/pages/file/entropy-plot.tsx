import { formatBytes } from '../../text/format.ts';
import { brief } from '../../text/visible.ts';
import type { FileSection } from './facts.ts';
import styles from './structure.module.css';

interface Props {
  readonly sections: readonly FileSection[];
  readonly sizeBytes: number;
}

const WIDTH = 1000;
const HEIGHT = 72;
const MAX_ENTROPY = 8;
/** From here on the content is compressed or encrypted. */
const PACKED = 7;
const SHOWN = 100;

/** The sections along the file; their height is their entropy, 0 to 8 bits per byte. */
export function EntropyPlot({ sections, sizeBytes }: Props) {
  const inFile = sections.filter(({ size }) => size > 0).slice(0, SHOWN);
  if (inFile.length === 0 || sizeBytes === 0) return null;
  return (
    <figure className={styles['entropy']}>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Entropy of the sections along the file: ${inFile.map(textOf).join(', ')}`}
      >
        {inFile.map((section) => (
          <Bar key={`${section.name} ${section.offset}`} section={section} sizeBytes={sizeBytes} />
        ))}
        <line
          x1="0"
          x2={WIDTH}
          y1={HEIGHT - (HEIGHT * PACKED) / MAX_ENTROPY}
          y2={HEIGHT - (HEIGHT * PACKED) / MAX_ENTROPY}
          className={styles['limit']}
        />
      </svg>
      <div className={styles['axis']} aria-hidden>
        <span>0x0</span>
        <span>packed or encrypted above the line</span>
        <span>{formatBytes(sizeBytes)}</span>
      </div>
      <figcaption>
        {inFile.map((section) => (
          <span
            key={`${section.name} ${section.offset}`}
            className={section.entropy >= PACKED ? styles['hot'] : undefined}
          >
            {textOf(section)}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

function Bar({
  section: { name, offset, size, entropy },
  sizeBytes,
}: {
  readonly section: FileSection;
  readonly sizeBytes: number;
}) {
  const height = Math.max(1, (HEIGHT * entropy) / MAX_ENTROPY);
  const x = (WIDTH * offset) / sizeBytes;
  const width = Math.max(2, (WIDTH * size) / sizeBytes - 2);
  return (
    <g>
      <title>{`${brief(name)}: ${formatBytes(size)} at 0x${offset.toString(16)}, entropy ${entropy.toFixed(2)}`}</title>
      <rect x={x} y="0" width={width} height={HEIGHT} className={styles['extent']} />
      <rect
        x={x}
        y={HEIGHT - height}
        width={width}
        height={height}
        className={entropy >= PACKED ? styles['packed'] : styles['ordinary']}
      />
    </g>
  );
}

function textOf({ name, entropy }: FileSection): string {
  return `${brief(name) || '(no name)'} ${entropy.toFixed(1)}`;
}
