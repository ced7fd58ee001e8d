import { LIMITS } from '../../limits.ts';
import { printableText } from '../../printable-text.ts';
import type { Subject } from '../../subject.ts';
import type { Findings, TagMeaning } from '../format.ts';
import { isBomb, type Unpacked, type UnpackLimits } from './bytes.ts';
import { NAME_TAGS, nameTags } from './names.ts';

/** Tags of archives of any kind. */
export const MEMBER_TAGS = {
  ...NAME_TAGS,
  ENCRYPTED_ARCHIVE: [2, 'The content is encrypted'],
  PASSWORD_INFECTED: [1, 'Opens with a password that is customary for exchanging samples'],
  ARCHIVE_PASSWORD_UNKNOWN: [2, 'None of the customary passwords opens it'],
  ARCHIVE_BOMB: [4, 'Unpacks to far more than a regular archive would'],
  ARCHIVE_DAMAGED: [2, 'Parts of it are truncated or damaged'],
} as const satisfies Readonly<Record<string, TagMeaning>>;

export type MemberTag = keyof typeof MEMBER_TAGS;

/** A member as the archive states it. */
export interface ListedMember {
  readonly name: string;
  readonly sizeBytes?: number | undefined;
  readonly packedBytes?: number | undefined;
  readonly encrypted?: boolean | undefined;
}

const MAX_LISTED = 100;
const LONGEST_NAME = 255;
/**
 * Read from a member that exceeds the budget: enough for the headers and code of a padded program.
 */
const BEGINNING_BYTES = 16 * 1024 * 1024;

/** For content that uses up the whole budget. Regular content rarely compresses this well. */
const BOMB_RATIO_AT_LIMIT = 100;

/**
 * Receives the members of one archive: judges their names, applies the budget and nests their
 * bytes.
 */
export class Members {
  readonly #subject: Subject;
  readonly #findings: Findings<MemberTag>;
  readonly #listed: ListedMember[] = [];
  #count = 0;

  constructor(subject: Subject, findings: Findings<MemberTag>) {
    this.#subject = subject;
    this.#findings = findings;
  }

  get limits(): UnpackLimits {
    const { budget } = this.#findings;
    return { bytes: budget.bytesLeft, isOver: () => budget.isOver() };
  }

  /** Whether one more member may be unpacked; otherwise the limit is reported. */
  mayUnpack(): boolean {
    const { budget } = this.#findings;
    if (budget.isOver()) return false;
    if (this.#subject.depth >= LIMITS.depth) {
      this.#findings.limit(`members nested deeper than ${LIMITS.depth}`);
      return false;
    }
    if (budget.membersLeft <= 0) return budget.takeMember();
    return budget.bytesLeft > 0 || budget.takeBytes(1);
  }

  /** Records a member as stated, and tags suspicious names. */
  list(member: ListedMember): void {
    this.#count += 1;
    if (this.#listed.length < MAX_LISTED) this.#listed.push(member);
    for (const tag of nameTags(member.name)) this.#findings.tag(tag, { note: member.name });
  }

  /** Nests the content, within the budget. */
  add(name: string, unpacked: Unpacked): void {
    const { budget } = this.#findings;
    this.judgeRatio(unpacked.bytes.length, unpacked);
    if (unpacked.end === 'damaged') this.#findings.tag('ARCHIVE_DAMAGED', { note: name });
    const bytes =
      unpacked.end === 'limit' ? beginningOf(unpacked.bytes, budget.bytesLeft) : unpacked.bytes;
    if (unpacked.end === 'limit')
      this.#findings.limit(
        `${printableText(name, LONGEST_NAME)} is read up to ${bytes.length} bytes`,
      );
    if (bytes.length === 0) return;
    if (budget.takeMember() && budget.takeBytes(bytes.length)) this.#findings.nest(name, bytes);
  }

  judgeRatio(unpackedBytes: number, { packedBytes, end }: Pick<Unpacked, 'packedBytes' | 'end'>) {
    const isFull = end === 'limit' && unpackedBytes >= this.#findings.budget.bytesLeft;
    if (!isBomb(unpackedBytes, packedBytes, isFull ? BOMB_RATIO_AT_LIMIT : undefined)) return;
    const note = `${packedBytes} bytes became ${unpackedBytes} or more`;
    this.#findings.tag('ARCHIVE_BOMB', { note });
  }

  /** Reports the list; `count` is given if the archive states more members than were listed. */
  finish(count = this.#count): void {
    this.#findings.facts({
      memberCount: Math.max(count, this.#count),
      members: this.#listed.map(({ name, sizeBytes, packedBytes, encrypted }) => ({
        name: printableText(name, LONGEST_NAME),
        ...(sizeBytes !== undefined && { sizeBytes }),
        ...(packedBytes !== undefined && { packedBytes }),
        ...(encrypted !== undefined && { encrypted }),
      })),
    });
  }
}

/** Copied, because a slice would keep the whole output in memory. */
function beginningOf(bytes: Buffer, bytesLeft: number): Buffer {
  const length = Math.min(BEGINNING_BYTES, bytesLeft);
  return bytes.length > length ? Buffer.from(bytes.subarray(0, length)) : bytes;
}
