import { LIMITS } from '../../limits.ts';
import { defineFormat, type Findings, type TagMeaning } from '../format.ts';
import { nestCounted } from '../nest.ts';
import { isMz } from '../pe/headers.ts';
import { mayBePackedElf, unpackElf } from './elf.ts';
import { findPackHeader, unpackPe } from './pe.ts';

const tags = {
  UPX_UNPACKED: [1, 'Packed with UPX; the unpacked program is analysed too'],
  UPX_MARKS_ERASED: [
    5,
    'Packed with UPX; its markers were overwritten so that UPX cannot unpack it',
  ],
  UPX_NOT_UNPACKED: [
    2,
    'Packed with UPX, but damaged or modified so that it could not be unpacked',
  ],
} as const satisfies Readonly<Record<string, TagMeaning>>;

/** Packed programs are small; a larger stated size would only waste memory. */
const MAX_PROGRAM_BYTES = 64 * 1024 * 1024;

const HEADERS_BYTES = 0x2000;

/**
 * Unpacks Windows and Linux programs that were packed with UPX, so that the other formats inspect
 * the result.
 */
export const upx = defineFormat({
  name: 'upx',
  tags,

  matches: ({ bytes }) =>
    isMz(bytes) ? findPackHeader(bytes) !== undefined : mayBePackedElf(bytes),

  inspect({ bytes, depth }, findings) {
    if (depth >= LIMITS.depth || findings.budget.isOver()) return;
    const { budget } = findings;
    const limits = {
      bytes: Math.min(MAX_PROGRAM_BYTES, budget.bytesLeft),
      isOver: () => budget.isOver(),
    };
    const outcome = isMz(bytes) ? unpackPe(bytes, limits) : unpackElf(bytes, limits);
    if (outcome === 'too-large') findings.limit('the unpacked program is too large');
    else if (outcome === 'unreadable') reportUnreadable(bytes, findings);
    else {
      if (offsetOfMark(bytes) === -1) findings.tag('UPX_MARKS_ERASED', { offset: outcome.offset });
      findings.tag('UPX_UNPACKED', { offset: outcome.offset, note: outcome.notes.join('; ') });
      nestCounted(findings, isMz(bytes) ? 'unpacked.exe' : 'unpacked', outcome.bytes);
    }
  },
});

/** Values that look like a block also occur in other programs: only the mark is conclusive. */
function reportUnreadable(bytes: Buffer, findings: Findings<keyof typeof tags>): void {
  const mark = offsetOfMark(bytes);
  if (mark !== -1) findings.tag('UPX_NOT_UNPACKED', { offset: mark });
}

/** The offset of the mark in the headers, or -1. */
function offsetOfMark(bytes: Buffer): number {
  return bytes.subarray(0, HEADERS_BYTES).indexOf('UPX!');
}
