import { LIMITS } from '../../limits.ts';
import { shownText } from '../../printable-text.ts';
import type { Subject } from '../../subject.ts';
import type { Findings, TagMeaning } from '../format.ts';
import { isBomb, type Room, type Unpacked } from './bytes.ts';
import { NAME_TAGS, nameTags } from './names.ts';

/** What any archive may be found to be, whatever its kind. */
export const MEMBER_TAGS = {
  ...NAME_TAGS,
  ENCRYPTED_ARCHIVE: [2, 'Its content is encrypted'],
  PASSWORD_INFECTED: [1, 'Opens with a password that is customary for exchanging samples'],
  ARCHIVE_PASSWORD_UNKNOWN: [2, 'None of the customary passwords opens it'],
  ARCHIVE_BOMB: [4, 'Unpacks to far more than an honest archive would'],
  ARCHIVE_DAMAGED: [2, 'Parts of it are cut or damaged'],
} as const satisfies Readonly<Record<string, TagMeaning>>;

export type MemberTag = keyof typeof MEMBER_TAGS;

/** As the archive states it. */
export interface Listed {
  readonly name: string;
  readonly sizeBytes?: number | undefined;
  readonly packedBytes?: number | undefined;
  readonly encrypted?: boolean | undefined;
}

const MOST_LISTED = 100;
const LONGEST_NAME = 255;
/** Of a member that does not fit: enough for its headers and code, where the rest is padding. */
const BEGINNING_BYTES = 16 * 1024 * 1024;

/** For what fills the whole budget. Honest content hardly packs so well. */
const BOMB_RATIO_AT_LIMIT = 100;

/** Takes the members of one archive: judges their names, keeps within the budget and hands their bytes on. */
export class Members {
  readonly #subject: Subject;
  readonly #findings: Findings<MemberTag>;
  readonly #listed: Listed[] = [];
  #count = 0;

  constructor(subject: Subject, findings: Findings<MemberTag>) {
    this.#subject = subject;
    this.#findings = findings;
  }

  get room(): Room {
    const { budget } = this.#findings;
    return { bytes: budget.bytesLeft, isOver: () => budget.isOver() };
  }

  /** Whether one more may be unpacked; where not, it is noted as a limit. */
  hasRoom(): boolean {
    const { budget } = this.#findings;
    if (budget.isOver()) return false;
    if (this.#subject.depth >= LIMITS.depth) {
      this.#findings.limit(`members nested deeper than ${LIMITS.depth}`);
      return false;
    }
    if (budget.membersLeft <= 0) return budget.takeMember();
    return budget.bytesLeft > 0 || budget.takeBytes(1);
  }

  /** Notes what the archive says of a member, and what its name tries. */
  list(member: Listed): void {
    this.#count += 1;
    if (this.#listed.length < MOST_LISTED) this.#listed.push(member);
    for (const tag of nameTags(member.name)) this.#findings.tag(tag, { note: member.name });
  }

  /** Hands the content on, as far as the budget allows. */
  take(name: string, unpacked: Unpacked): void {
    const { budget } = this.#findings;
    this.judgeRatio(unpacked.bytes.length, unpacked);
    if (unpacked.end === 'damaged') this.#findings.tag('ARCHIVE_DAMAGED', { note: name });
    const bytes =
      unpacked.end === 'limit' ? beginningOf(unpacked.bytes, budget.bytesLeft) : unpacked.bytes;
    if (unpacked.end === 'limit')
      this.#findings.limit(`${shownText(name, LONGEST_NAME)} is read up to ${bytes.length} bytes`);
    if (bytes.length === 0) return;
    if (budget.takeMember() && budget.takeBytes(bytes.length)) this.#findings.nest(name, bytes);
  }

  judgeRatio(unpackedBytes: number, { packedBytes, end }: Pick<Unpacked, 'packedBytes' | 'end'>) {
    const isFull = end === 'limit' && unpackedBytes >= this.#findings.budget.bytesLeft;
    if (!isBomb(unpackedBytes, packedBytes, isFull ? BOMB_RATIO_AT_LIMIT : undefined)) return;
    const note = `${packedBytes} bytes became ${unpackedBytes} or more`;
    this.#findings.tag('ARCHIVE_BOMB', { note });
  }

  /** Tells the list; `count` where the archive states more members than were listed. */
  finish(count = this.#count): void {
    this.#findings.facts({
      memberCount: Math.max(count, this.#count),
      members: this.#listed.map(({ name, sizeBytes, packedBytes, encrypted }) => ({
        name: shownText(name, LONGEST_NAME),
        ...(sizeBytes !== undefined && { sizeBytes }),
        ...(packedBytes !== undefined && { packedBytes }),
        ...(encrypted !== undefined && { encrypted }),
      })),
    });
  }
}

/** Copied, or all that was unpacked would stay in memory with it. */
function beginningOf(bytes: Buffer, bytesLeft: number): Buffer {
  const length = Math.min(BEGINNING_BYTES, bytesLeft);
  return bytes.length > length ? Buffer.from(bytes.subarray(0, length)) : bytes;
}
