import type { Findings } from './format.ts';

/** Counts content and has it looked at in its turn. `false` where there is no more room for any. */
export function nestCounted(
  findings: Pick<Findings, 'budget' | 'nest'>,
  name: string,
  bytes: Buffer,
): boolean {
  if (bytes.length === 0) return true;
  if (!findings.budget.takeMember() || !findings.budget.takeBytes(bytes.length)) return false;
  findings.nest(name, bytes);
  return true;
}
