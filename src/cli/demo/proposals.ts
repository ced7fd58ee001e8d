import { DAY_MS, HOUR_MS } from '../../domain/duration.ts';
import type { DismissalReason } from '../../domain/proposals/proposal.ts';
import type { Dependencies } from '../../operations/dependencies.ts';
import { dismissProposal } from '../../operations/proposals/dismiss-proposal.ts';
import type { DemoHistory, Step } from './history.ts';
import type { SeededRandom } from './random.ts';
import type { DemoUpload } from './uploads.ts';

/** Proposals of later uploads wait, so that everybody has something to decide. */
const DECIDED_AFTER_DAYS = 3;

const DISMISSALS: readonly {
  readonly weight: number;
  readonly reason: DismissalReason;
  readonly note?: string;
}[] = [
  { weight: 7, reason: 'already_known', note: 'Another port of the same server is reported.' },
  { weight: 2, reason: 'wrong_service' },
  { weight: 1, reason: 'not_malicious', note: 'A sinkhole.' },
  { weight: 1, reason: 'other', note: 'Does not answer any more.' },
];

interface Plan {
  readonly history: DemoHistory;
  readonly now: number;
}

/** The uploaders dismiss what they have not reported some days after the upload. */
export function dismissalSteps(
  random: SeededRandom,
  uploads: readonly DemoUpload[],
  { history, now }: Plan,
): Step[] {
  return uploads
    .filter(({ c2s, daysAgo }) => c2s.length > 0 && daysAgo > DECIDED_AFTER_DAYS)
    .map((upload) => ({
      at: now - (upload.daysAgo - 2) * DAY_MS - random.integer(0, 20) * HOUR_MS,
      run: (deps) => dismissOpen(deps, history, upload, random),
    }));
}

async function dismissOpen(
  deps: Dependencies,
  history: DemoHistory,
  { by, sha256 }: DemoUpload,
  random: SeededRandom,
): Promise<void> {
  const caller = await history.caller(deps, by);
  for (const { id } of await history.openProposals(deps, caller, sha256)) {
    const { reason, note } = random.weighted(DISMISSALS);
    await dismissProposal(deps, caller, { id, reason, note });
  }
}
