import type { Findings } from './format.ts';

/** Reserves budget and nests the content. `false` if there is no room. */
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
