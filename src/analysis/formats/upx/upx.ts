import { LIMITS } from '../../limits.ts';
import { defineFormat, type Findings, type TagMeaning } from '../format.ts';
import { nestCounted } from '../nest.ts';
import { isMz } from '../pe/headers.ts';
import { mayBePackedElf, unpackElf } from './elf.ts';
import { findPackHeader, unpackPe } from './pe.ts';

const tags = {
  UPX_UNPACKED: [1, 'Was packed with UPX; what was packed is looked at, too'],
  UPX_MARKS_ERASED: [
    5,
    'Packed with UPX, whose marks were overwritten so that it does not unpack it',
  ],
  UPX_NOT_UNPACKED: [2, 'Packed with UPX, but damaged or changed so that it could not be unpacked'],
} as const satisfies Readonly<Record<string, TagMeaning>>;

/** Packed programs are small; what claims more wants to cost memory. */
const MAX_PROGRAM_BYTES = 64 * 1024 * 1024;

const HEADERS_BYTES = 0x2000;

/** Programs for Windows and Linux that UPX packed: unpacks them, so that all others see what was packed. */
export const upx = defineFormat({
  name: 'upx',
  tags,

  matches: ({ bytes }) =>
    isMz(bytes) ? findPackHeader(bytes) !== undefined : mayBePackedElf(bytes),

  inspect({ bytes, depth }, findings) {
    if (depth >= LIMITS.depth || findings.budget.isOver()) return;
    const { budget } = findings;
    const room = {
      bytes: Math.min(MAX_PROGRAM_BYTES, budget.bytesLeft),
      isOver: () => budget.isOver(),
    };
    const outcome = isMz(bytes) ? unpackPe(bytes, room) : unpackElf(bytes, room);
    if (outcome === 'too-large') findings.limit('the unpacked program is too large');
    else if (outcome === 'unreadable') tellUnreadable(bytes, findings);
    else {
      if (markIn(bytes) === -1) findings.tag('UPX_MARKS_ERASED', { offset: outcome.offset });
      findings.tag('UPX_UNPACKED', { offset: outcome.offset, note: outcome.notes.join('; ') });
      nestCounted(findings, isMz(bytes) ? 'unpacked.exe' : 'unpacked', outcome.bytes);
    }
  },
});

/** Numbers that look like a block stand in other programs, too: only a mark makes it sure. */
function tellUnreadable(bytes: Buffer, findings: Findings<keyof typeof tags>): void {
  const mark = markIn(bytes);
  if (mark !== -1) findings.tag('UPX_NOT_UNPACKED', { offset: mark });
}

/** Where it stands among the headers, or -1. */
function markIn(bytes: Buffer): number {
  return bytes.subarray(0, HEADERS_BYTES).indexOf('UPX!');
}
