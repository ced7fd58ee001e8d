import { findXored, xorTags } from './codecs/xor-search.ts';
import { xorHits } from './extractors/xor-needles.ts';
import type { Findings, TagMeaning } from './formats/format.ts';
import { entropyOf, isHighEntropy } from './hashing/entropy.ts';
import { findIndicators } from './indicators/indicators.ts';
import { indicatorTags } from './indicators/sink.ts';
import { printableText } from './printable-text.ts';
import type { Subject } from './subject.ts';

/** A subject and what the engine knows about it, for findings that do not depend on the format. */
export interface TypedSubject {
  readonly subject: Subject;
  /** As libmagic describes it. */
  readonly description: string;
  /** Absent for a member of a known format. */
  readonly mime?: string | undefined;
  readonly isOfKnownFormat: boolean;
}

/**
 * Small unstructured files with high entropy are more often keys or images than packed programs.
 */
const ENTROPY_FROM_BYTES = 4096;

const tags = {
  TEXT: [1, 'Text'],
  IMAGE: [1, 'An image'],
  MEDIA: [1, 'Audio or video'],
  DATA: [1, 'Data of unknown format'],
  EMPTY: [1, 'An empty file'],
  HIGH_ENTROPY: [2, 'High entropy over the whole file: probably compressed or encrypted'],
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

export const generalFindings = {
  name: 'file',
  tags,

  inspect(
    { subject, description, mime = '', isOfKnownFormat }: TypedSubject,
    findings: Findings<Tag>,
  ): void {
    const entropy = entropyOf(subject.bytes);
    findings.facts({
      type: printableText(description, 512),
      mime: printableText(mime, 128),
      entropy: Math.round(entropy * 1000) / 1000,
    });
    if (!isOfKnownFormat) {
      const tag = kindOf(subject, mime);
      if (tag !== undefined) findings.tag(tag, { note: mime });
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

function kindOf({ bytes }: Subject, mime: string): Tag | undefined {
  if (bytes.length === 0) return 'EMPTY';
  return TAGS_BY_MIME.find(([beginning]) => mime.startsWith(beginning))?.[1];
}
