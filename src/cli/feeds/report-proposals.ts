import type { RapsheetClient } from '../../client/client.ts';
import { RapsheetError } from '../../client/error.ts';
import type { Proposal } from '../../client/wire.ts';
import type { CommandInput } from '../command.ts';
import { confirm } from '../input/confirm.ts';
import { draftTable } from '../output/proposal-table.ts';

export interface ReportedProposals {
  /** The proposals as they are now, including those that were reported or dismissed before. */
  readonly proposals: readonly Proposal[];
  /** The messages for the proposals that could not be reported. */
  readonly failures: readonly string[];
}

/** All proposals of these files, those of a file in the order of their addresses. */
export async function proposalsOf(
  client: RapsheetClient,
  hashes: readonly string[],
): Promise<readonly Proposal[]> {
  const found: Proposal[] = [];
  for (const hash of new Set(hashes)) {
    // A file has at most 32.
    const { proposals } = await client.listProposals({ hash, limit: 100 });
    found.push(...proposals.toSorted((one, other) => (one.c2Address < other.c2Address ? -1 : 1)));
  }
  return found;
}

/** Reports the open ones, after a question unless `--yes` is given. */
export async function reportProposals(
  client: RapsheetClient,
  input: CommandInput,
  proposals: readonly Proposal[],
): Promise<ReportedProposals> {
  const open = proposals.filter(({ state }) => state === 'open');
  if (open.length === 0) {
    input.printMessage(
      proposals.length === 0
        ? 'No service answers for a C2 of these files: there is nothing to report.'
        : 'There is nothing left to report.',
    );
    return { proposals, failures: [] };
  }
  if (input.options['yes'] !== true && !(await isConfirmed(input, open))) {
    input.printMessage('Nothing was reported.');
    return { proposals, failures: [] };
  }
  const reported = new Map<string, Proposal>();
  const failures: string[] = [];
  for (const proposal of open) {
    try {
      const { id, service } = await client.reportProposal(proposal.id);
      reported.set(proposal.id, { ...proposal, state: 'reported', report: { id, service } });
    } catch (cause) {
      // One that was withdrawn or dismissed meanwhile does not stop the others.
      if (!(cause instanceof RapsheetError) || ![404, 409].includes(cause.status ?? 0)) throw cause;
      failures.push(`${proposal.c2Address}: ${cause.message}`);
    }
  }
  return { proposals: proposals.map((one) => reported.get(one.id) ?? one), failures };
}

async function isConfirmed(input: CommandInput, open: readonly Proposal[]): Promise<boolean> {
  input.printMessage(draftTable(open));
  return await confirm(reportQuestion(open));
}

/** Says what goes where: `Report these 13: 9 to ply, 4 to cask?` */
export function reportQuestion(open: readonly Pick<Proposal, 'service'>[]): string {
  const services = Map.groupBy(open, ({ service }) => service);
  const shares = [...services].map(([service, { length }]) => `${length} to ${service}`);
  return open.length === 1
    ? `Report it to ${open[0]?.service}?`
    : `Report these ${open.length}: ${shares.join(', ')}?`;
}
