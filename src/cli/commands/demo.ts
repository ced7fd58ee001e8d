import { type Config, readConfig } from '../../config.ts';
import { UNCLAIMED } from '../../domain/services/unclaimed.ts';
import { createLink } from '../../operations/accounts/create-link.ts';
import { findAccount } from '../../operations/accounts/find-account.ts';
import type { Dependencies } from '../../operations/dependencies.ts';
import { storeLocation } from '../../server/find-store.ts';
import { createFirstAdmin } from '../../server/first-admin.ts';
import type { OpenDependencies } from '../../server/open-dependencies.ts';
import { type Command, CommandError } from '../command.ts';
import { createDemoData } from '../demo/demo-data.ts';
import type { DemoHistory, DemoReport } from '../demo/history.ts';
import { type Demo, demoSummary, type RoleLink } from '../demo/summary.ts';
import { ProgressBar } from '../output/progress-bar.ts';
import { auditContextOf, onStore } from '../store-command.ts';

/** Who the pages are for, and an account of each. */
const ROLES: readonly (readonly [role: string, account: string])[] = [
  ['researcher', 'alice'],
  ['abuse desk', 'ply-abuse'],
  ['analyst', 'soc'],
  ['operator', 'admin'],
];

export const demo: Command = {
  usage: '',
  examples: [{ command: 'rapsheet demo', description: 'Fill the store that the settings name' }],
  async run(input) {
    const config = readConfig();
    const fill = async (deps: OpenDependencies): Promise<Demo> => {
      await refuseUsedStore(deps, config);
      const admin = await createFirstAdmin(config, deps);
      const bar = new ProgressBar(process.stderr, 1, { unit: 'events' });
      const progress = (done: number, total: number) => bar.show(done / total, done);
      const history = await createDemoData(config, deps, progress);
      bar.clear();
      const links = await linksOf(deps);
      const shown = await shownReport(deps, history);
      return { history, links, shown, adminTokenFile: admin?.newToken?.file ?? null };
    };
    const made = await onStore(input, fill, { create: true });
    const { history, links, shown, adminTokenFile } = made;
    const { accounts, counts } = history;
    const reports = [...history.reports.values()];
    const result = { ...counts, accounts, reports, links, shown, adminTokenFile };
    input.print(result, demoSummary(made, config));
  },
};

/** A store with no service but the built-in one, and nothing in its feed, has no reports. */
async function refuseUsedStore(deps: Dependencies, config: Config): Promise<void> {
  const heads = await deps.store.feeds.heads(undefined);
  const isFresh = [...heads].every(([slug, head]) => slug === UNCLAIMED && head === 0);
  const accounts = await deps.store.accounts.list({ limit: 2 }, deps.now());
  if (isFresh && accounts.every(({ name }) => name === 'admin')) return;
  throw new CommandError(
    `the store in ${storeLocation(config)} is already in use, and the demo would add invented data to it: ${otherStore(config)}`,
  );
}

function otherStore({ database }: Config): string {
  return database.kind === 'sqlite'
    ? 'set RAPSHEET_DATA_DIR to a new folder'
    : 'set RAPSHEET_DATABASE_URL to an empty database';
}

/** Invitations, which stay good for days: the demo may be looked at later. */
async function linksOf(deps: Dependencies): Promise<readonly RoleLink[]> {
  const links: RoleLink[] = [];
  for (const [role, account] of ROLES) {
    const { id } = await findAccount(deps, account);
    const { url } = await createLink(deps, auditContextOf(deps), id, { purpose: 'invitation' });
    links.push({ role, account, link: url });
  }
  return links;
}

/** The last report of the feed whose file can be looked up. */
async function shownReport({ store }: Dependencies, { reports }: DemoHistory): Promise<DemoReport> {
  for (const report of [...reports.values()].reverse()) {
    if (report.service !== 'ply') continue;
    const hash = { hex: report.sha256, kinds: ['sha256'] as const };
    if ((await store.samples.status(hash)).state === 'done') return report;
  }
  throw new Error('the demo has no report of an analysed file');
}
