import type { Findings } from '../format.ts';
import { hasCostlyKey } from './key-cost.ts';
import type { MemberTag } from './members.ts';
import { runSeven, type SevenRun, type SevenTask } from './seven-run.ts';

/** Under which samples are customarily exchanged. */
const PASSWORDS = ['infected', 'malware'];

/** How 7z names its encryption, wherever a header says that it is used. */
const SEVEN_AES = Buffer.from('06f10701', 'hex');

export interface OpenedRun extends SevenRun {
  readonly isEncrypted: boolean;
}

/** Unpacks; where that needs a password, the customary ones are tried. */
export async function unpackWithPasswords(
  task: Pick<SevenTask, 'archive' | 'type'>,
  findings: Findings<MemberTag>,
): Promise<OpenedRun> {
  const { budget } = findings;
  const room = {
    bytes: budget.bytesLeft,
    members: budget.membersLeft,
    isOver: () => budget.isOver(),
  };
  if (hasCostlyKey(task.archive, task.type)) {
    findings.tag('ENCRYPTED_ARCHIVE');
    findings.limit('its key takes too long to derive');
    return { members: [], isLocked: true, isDamaged: false, isStopped: false, isEncrypted: true };
  }
  const plain = await runSeven({ ...task, password: '' }, room);
  if (!isLocked(plain, task.archive)) return { ...plain, isEncrypted: false };
  findings.tag('ENCRYPTED_ARCHIVE');
  for (const password of PASSWORDS) {
    if (budget.isOver()) break;
    const run = await runSeven({ ...task, password }, room);
    if (readable(run) <= readable(plain)) continue;
    findings.tag('PASSWORD_INFECTED', { note: password });
    return { ...run, isEncrypted: true };
  }
  findings.tag('ARCHIVE_PASSWORD_UNKNOWN');
  return { ...plain, isEncrypted: true, isDamaged: false };
}

/** A list of members that was decrypted with the wrong password may look like mere damage. */
function isLocked(run: SevenRun, archive: Buffer): boolean {
  if (run.isLocked) return true;
  return run.isDamaged && run.members.length === 0 && archive.includes(SEVEN_AES);
}

/** Damage looks like a wrong password too: one member that comes out well proves it right. */
function readable({ members }: SevenRun): number {
  return members.filter(({ state }) => state === 'whole' || state === 'cut').length;
}
