import { findXored, xorTags } from './codecs/xor-search.ts';
import { xorHits } from './extractors/xor-needles.ts';
import type { FileType } from './file-type.ts';
import type { Findings, TagMeaning } from './formats/format.ts';
import { entropyOf, isHighEntropy } from './hashing/entropy.ts';
import { findIndicators } from './indicators/indicators.ts';
import { indicatorTags } from './indicators/sink.ts';
import { shownText } from './printable-text.ts';
import type { Subject } from './subject.ts';

/** What is looked at whatever the format is. */
export interface Looked {
  readonly subject: Subject;
  readonly type: FileType;
  readonly isOfKnownFormat: boolean;
}

/** A small file without structure is more often a key or a picture than a packed program. */
const ENTROPY_FROM_BYTES = 4096;

const tags = {
  TEXT: [1, 'Text'],
  IMAGE: [1, 'A picture'],
  MEDIA: [1, 'Sound or film'],
  DATA: [1, 'Bytes of no format that we know'],
  EMPTY: [1, 'Nothing at all'],
  HIGH_ENTROPY: [2, 'Looks compressed or encrypted as a whole'],
  ...indicatorTags,
  ...xorTags,
} as const satisfies Readonly<Record<string, TagMeaning>>;

type Tag = keyof typeof tags;

const TAGS_BY_MIME: readonly (readonly [beginning: string, tag: Tag])[] = [
  ['text/', 'TEXT'],
  ['image/', 'IMAGE'],
  ['audio/', 'MEDIA'],
  ['video/', 'MEDIA'],
  ['application/octet-stream', 'DATA'],
];

export const content = {
  name: 'file',
  tags,

  inspect({ subject, type, isOfKnownFormat }: Looked, findings: Findings<Tag>): void {
    const entropy = entropyOf(subject.bytes);
    findings.facts({
      type: shownText(type.description, 512),
      mime: shownText(type.mime, 128),
      entropy: Math.round(entropy * 1000) / 1000,
    });
    if (!isOfKnownFormat) {
      const tag = kindOf(subject, type);
      if (tag !== undefined) findings.tag(tag, { note: type.mime });
      if (
        isHighEntropy(entropy, subject.bytes.length) &&
        subject.bytes.length >= ENTROPY_FROM_BYTES
      )
        findings.tag('HIGH_ENTROPY', { note: `${entropy.toFixed(2)} bits per byte` });
    }
    findIndicators(subject, findings);
    findXored(subject, findings, xorHits(subject));
  },
};

function kindOf({ bytes }: Subject, { mime }: FileType): Tag | undefined {
  if (bytes.length === 0) return 'EMPTY';
  return TAGS_BY_MIME.find(([beginning]) => mime.startsWith(beginning))?.[1];
}
