import type { Findings } from '../format.ts';
import { hasCostlyKey } from './key-cost.ts';
import type { MemberTag } from './members.ts';
import { runSeven, type SevenRun, type SevenTask } from './seven-run.ts';

/** Customary passwords for exchanging samples. */
const PASSWORDS = ['infected', 'malware'];

/** The codec id of 7z encryption, wherever a header refers to it. */
const SEVEN_AES = Buffer.from('06f10701', 'hex');

export interface OpenedRun extends SevenRun {
  readonly isEncrypted: boolean;
}

/** Unpacks the archive, trying the customary passwords if it is encrypted. */
export async function unpackWithPasswords(
  task: Pick<SevenTask, 'archive' | 'type'>,
  findings: Findings<MemberTag>,
): Promise<OpenedRun> {
  const { budget } = findings;
  const limits = {
    bytes: budget.bytesLeft,
    members: budget.membersLeft,
    isOver: () => budget.isOver(),
  };
  if (hasCostlyKey(task.archive, task.type)) {
    findings.tag('ENCRYPTED_ARCHIVE');
    findings.limit('its key takes too long to derive');
    return { members: [], isLocked: true, isDamaged: false, isStopped: false, isEncrypted: true };
  }
  const plain = await runSeven({ ...task, password: '' }, limits);
  if (!isLocked(plain, task.archive)) return { ...plain, isEncrypted: false };
  findings.tag('ENCRYPTED_ARCHIVE');
  for (const password of PASSWORDS) {
    if (budget.isOver()) break;
    const run = await runSeven({ ...task, password }, limits);
    if (readable(run) <= readable(plain)) continue;
    findings.tag('PASSWORD_INFECTED', { note: password });
    return { ...run, isEncrypted: true };
  }
  findings.tag('ARCHIVE_PASSWORD_UNKNOWN');
  return { ...plain, isEncrypted: true, isDamaged: false };
}

/** A member list decrypted with the wrong password may look like damage. */
function isLocked(run: SevenRun, archive: Buffer): boolean {
  if (run.isLocked) return true;
  return run.isDamaged && run.members.length === 0 && archive.includes(SEVEN_AES);
}

/**
 * Damage looks like a wrong password too: one member that unpacks correctly proves the password.
 */
function readable({ members }: SevenRun): number {
  return members.filter(({ state }) => state === 'whole' || state === 'cut').length;
}
