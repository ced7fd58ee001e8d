import type { Command } from '../command.ts';

/** A command, which is the only export of its file. */
type CommandModule = Readonly<Record<string, Command>>;

/** The name of a command and its file. */
type CommandFile = readonly [name: string, load: () => Promise<CommandModule>];

interface CommandGroup {
  readonly title: string;
  readonly commands: readonly CommandFile[];
}

/** Every command, in the order in which `rapsheet help` shows them. */
export const groups: readonly CommandGroup[] = [
  {
    title: 'Run Rapsheet',
    commands: [
      ['serve', () => import('./serve.ts')],
      ['worker', () => import('./worker.ts')],
      ['upgrade', () => import('./upgrade.ts')],
      ['demo', () => import('./demo.ts')],
      ['analyse', () => import('./analyse.ts')],
    ],
  },
  {
    title: 'Sign in to a server',
    commands: [
      ['login', () => import('./login.ts')],
      ['logout', () => import('./logout.ts')],
      ['whoami', () => import('./whoami.ts')],
      ['profile list', () => import('./profile-list.ts')],
      ['profile use', () => import('./profile-use.ts')],
    ],
  },
  {
    title: 'Call a server',
    commands: [
      ['report', () => import('./report.ts')],
      ['fetch', () => import('./fetch.ts')],
      ['delete', () => import('./delete.ts')],
      ['lookup', () => import('./lookup.ts')],
      ['details', () => import('./details.ts')],
      ['similar', () => import('./similar.ts')],
      ['status', () => import('./status.ts')],
      ['download', () => import('./download.ts')],
      ['upload', () => import('./upload.ts')],
      ['proposals', () => import('./proposals.ts')],
      ['proposal report', () => import('./proposal-report.ts')],
      ['proposal dismiss', () => import('./proposal-dismiss.ts')],
      ['search', () => import('./search.ts')],
      ['c2', () => import('./c2.ts')],
      ['route', () => import('./route.ts')],
      ['services', () => import('./services.ts')],
      ['service show', () => import('./service-show.ts')],
      ['statistics', () => import('./statistics.ts')],
      ['stats reporter', () => import('./stats-reporter.ts')],
      ['stats service', () => import('./stats-service.ts')],
      ['balance', () => import('./balance.ts')],
      ['usage', () => import('./usage.ts')],
      ['my-session end', () => import('./my-session-end.ts')],
      ['my-token list', () => import('./my-token-list.ts')],
      ['my-token issue', () => import('./my-token-issue.ts')],
      ['my-token revoke', () => import('./my-token-revoke.ts')],
    ],
  },
  {
    title: 'Read, follow and fill feeds of a server',
    commands: [
      ['feed list', () => import('./feed-list.ts')],
      ['feed changes', () => import('./feed-changes.ts')],
      ['feed follow', () => import('./feed-follow.ts')],
      ['feed export', () => import('./feed-export.ts')],
      ['feed bulk', () => import('./feed-bulk.ts')],
      ['feed submit', () => import('./feed-submit.ts')],
    ],
  },
  {
    title: 'Handle reports as the owner of a service',
    commands: [
      ['desk list', () => import('./desk-list.ts')],
      ['desk show', () => import('./desk-show.ts')],
      ['desk history', () => import('./desk-history.ts')],
      ['desk set', () => import('./desk-set.ts')],
    ],
  },
  {
    title: 'See what a feed sent by mail',
    commands: [
      ['mail show', () => import('./mail-show.ts')],
      ['mail deliveries', () => import('./mail-deliveries.ts')],
      ['mail test', () => import('./mail-test.ts')],
      ['mail replay', () => import('./mail-replay.ts')],
    ],
  },
  {
    title: 'Manage webhooks of a feed',
    commands: [
      ['webhook add', () => import('./webhook-add.ts')],
      ['webhook list', () => import('./webhook-list.ts')],
      ['webhook set', () => import('./webhook-set.ts')],
      ['webhook remove', () => import('./webhook-remove.ts')],
      ['webhook rotate', () => import('./webhook-rotate.ts')],
      ['webhook test', () => import('./webhook-test.ts')],
      ['webhook enable', () => import('./webhook-enable.ts')],
      ['webhook deliveries', () => import('./webhook-deliveries.ts')],
      ['webhook replay', () => import('./webhook-replay.ts')],
    ],
  },
  {
    title: 'Prove that a service owns the hosts that it declares',
    commands: [
      ['ownership show', () => import('./ownership-show.ts')],
      ['ownership check', () => import('./ownership-check.ts')],
    ],
  },
  {
    title: 'Administer the store directly, with or without a running server',
    commands: [
      ['service add', () => import('./service-add.ts')],
      ['service list', () => import('./service-list.ts')],
      ['service overlaps', () => import('./service-overlaps.ts')],
      ['service set', () => import('./service-set.ts')],
      ['account add', () => import('./account-add.ts')],
      ['account link', () => import('./account-link.ts')],
      ['account end-sessions', () => import('./account-end-sessions.ts')],
      ['account list', () => import('./account-list.ts')],
      ['account show', () => import('./account-show.ts')],
      ['account usage', () => import('./account-usage.ts')],
      ['account set', () => import('./account-set.ts')],
      ['token issue', () => import('./token-issue.ts')],
      ['token list', () => import('./token-list.ts')],
      ['token revoke', () => import('./token-revoke.ts')],
      ['token generate', () => import('./token-generate.ts')],
      ['sample import', () => import('./sample-import.ts')],
      ['sample failed', () => import('./sample-failed.ts')],
      ['sample analyse', () => import('./sample-analyse.ts')],
      ['purge report', () => import('./purge-report.ts')],
      ['purge sample', () => import('./purge-sample.ts')],
      ['audit list', () => import('./audit-list.ts')],
    ],
  },
  {
    title: 'Maintain the store',
    commands: [
      ['doctor', () => import('./doctor.ts')],
      ['clock confirm', () => import('./clock-confirm.ts')],
      ['backup', () => import('./backup.ts')],
      ['restore', () => import('./restore.ts')],
      ['migrate', () => import('./migrate.ts')],
    ],
  },
  {
    title: 'Use this program',
    commands: [
      ['help', () => import('./help.ts')],
      ['version', () => import('./version.ts')],
      ['completion', () => import('./completion.ts')],
    ],
  },
];

/** Commands are loaded on demand, so that none waits for the imports of the others. */
export interface CommandEntry {
  readonly name: string;
  load(): Promise<Command>;
}

export const commands: readonly CommandEntry[] = groups
  .flatMap((group) => group.commands)
  .map((file) => ({ name: file[0], load: () => loadCommand(file) }));

export async function loadCommand([name, load]: CommandFile): Promise<Command> {
  const [command] = Object.values(await load());
  if (command === undefined) throw new Error(`the file of ${name} exports no command`);
  return command;
}
