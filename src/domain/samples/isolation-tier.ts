/** What confines an analysis worker. A row of the table in SECURITY.md, strongest first. */
export const ISOLATION_TIERS = ['full', 'sandbox', 'limits', 'runtime'] as const;

export type IsolationTier = (typeof ISOLATION_TIERS)[number];

const DESCRIPTIONS: Readonly<Record<IsolationTier, string>> = {
  full: 'bubblewrap with a filter of system calls, and a control group for each worker',
  sandbox: 'bubblewrap with a filter of system calls, and limits of the process',
  limits: 'limits of the process, without a sandbox',
  runtime: 'the permission model of Node alone',
};

const MISSES: Readonly<Record<IsolationTier, string | undefined>> = {
  full: undefined,
  sandbox: 'page tables and other memory of the kernel are not limited',
  limits: 'network, files, system calls, child processes and shared memory are not limited',
  runtime: 'the kernel limits nothing',
};

export function describeTier(tier: IsolationTier): string {
  const misses = MISSES[tier];
  return `${tier}: ${DESCRIPTIONS[tier]}${misses === undefined ? '' : `; ${misses}`}`;
}
