import type { Command } from '../command.ts';

/** Commands are loaded on demand, so that none waits for the imports of the others. */
export interface CommandEntry {
  readonly name: string;
  load(): Promise<Command>;
}

interface CommandGroup {
  readonly title: string;
  readonly commands: readonly CommandEntry[];
}

/** Every command, in the order in which `rapsheet help` shows them. */
export const groups: readonly CommandGroup[] = [
  {
    title: 'Run Rapsheet',
    commands: [
      { name: 'serve', load: async () => (await import('./serve.ts')).serve },
      { name: 'worker', load: async () => (await import('./worker.ts')).worker },
      { name: 'demo', load: async () => (await import('./demo.ts')).demo },
      { name: 'analyse', load: async () => (await import('./analyse.ts')).analyse },
    ],
  },
  {
    title: 'Call a server',
    commands: [
      { name: 'report', load: async () => (await import('./report.ts')).report },
      { name: 'fetch', load: async () => (await import('./fetch.ts')).fetchReport },
      { name: 'delete', load: async () => (await import('./delete.ts')).deleteReport },
      { name: 'lookup', load: async () => (await import('./lookup.ts')).lookup },
      { name: 'details', load: async () => (await import('./details.ts')).details },
      { name: 'similar', load: async () => (await import('./similar.ts')).similar },
      { name: 'status', load: async () => (await import('./status.ts')).status },
      { name: 'download', load: async () => (await import('./download.ts')).download },
      { name: 'upload', load: async () => (await import('./upload.ts')).upload },
      { name: 'proposals', load: async () => (await import('./proposals.ts')).proposals },
      {
        name: 'proposal report',
        load: async () => (await import('./proposal-report.ts')).proposalReport,
      },
      {
        name: 'proposal dismiss',
        load: async () => (await import('./proposal-dismiss.ts')).proposalDismiss,
      },
      { name: 'search', load: async () => (await import('./search.ts')).search },
      { name: 'c2', load: async () => (await import('./c2.ts')).c2 },
      { name: 'route', load: async () => (await import('./route.ts')).route },
      { name: 'services', load: async () => (await import('./services.ts')).services },
      { name: 'service show', load: async () => (await import('./service-show.ts')).serviceShow },
      { name: 'statistics', load: async () => (await import('./statistics.ts')).statistics },
      {
        name: 'stats reporter',
        load: async () => (await import('./stats-reporter.ts')).statsReporter,
      },
      {
        name: 'stats service',
        load: async () => (await import('./stats-service.ts')).statsService,
      },
      { name: 'balance', load: async () => (await import('./balance.ts')).balance },
      { name: 'usage', load: async () => (await import('./usage.ts')).usage },
      {
        name: 'my-token list',
        load: async () => (await import('./my-token-list.ts')).myTokenList,
      },
      {
        name: 'my-token issue',
        load: async () => (await import('./my-token-issue.ts')).myTokenIssue,
      },
      {
        name: 'my-token revoke',
        load: async () => (await import('./my-token-revoke.ts')).myTokenRevoke,
      },
    ],
  },
  {
    title: 'Read, follow and fill feeds of a server',
    commands: [
      { name: 'feed list', load: async () => (await import('./feed-list.ts')).feedList },
      { name: 'feed changes', load: async () => (await import('./feed-changes.ts')).feedChanges },
      { name: 'feed follow', load: async () => (await import('./feed-follow.ts')).feedFollow },
      { name: 'feed export', load: async () => (await import('./feed-export.ts')).feedExport },
      { name: 'feed bulk', load: async () => (await import('./feed-bulk.ts')).feedBulk },
      { name: 'feed submit', load: async () => (await import('./feed-submit.ts')).feedSubmit },
    ],
  },
  {
    title: 'Handle reports as the owner of a service',
    commands: [
      { name: 'desk list', load: async () => (await import('./desk-list.ts')).deskList },
      { name: 'desk show', load: async () => (await import('./desk-show.ts')).deskShow },
      { name: 'desk history', load: async () => (await import('./desk-history.ts')).deskHistory },
      { name: 'desk set', load: async () => (await import('./desk-set.ts')).deskSet },
    ],
  },
  {
    title: 'See what a feed sent by mail',
    commands: [
      { name: 'mail show', load: async () => (await import('./mail-show.ts')).mailShow },
      {
        name: 'mail deliveries',
        load: async () => (await import('./mail-deliveries.ts')).mailDeliveries,
      },
      { name: 'mail test', load: async () => (await import('./mail-test.ts')).mailTest },
      { name: 'mail replay', load: async () => (await import('./mail-replay.ts')).mailReplay },
    ],
  },
  {
    title: 'Manage webhooks of a feed',
    commands: [
      { name: 'webhook add', load: async () => (await import('./webhook-add.ts')).webhookAdd },
      { name: 'webhook list', load: async () => (await import('./webhook-list.ts')).webhookList },
      { name: 'webhook set', load: async () => (await import('./webhook-set.ts')).webhookSet },
      {
        name: 'webhook remove',
        load: async () => (await import('./webhook-remove.ts')).webhookRemove,
      },
      {
        name: 'webhook rotate',
        load: async () => (await import('./webhook-rotate.ts')).webhookRotate,
      },
      { name: 'webhook test', load: async () => (await import('./webhook-test.ts')).webhookTest },
      {
        name: 'webhook enable',
        load: async () => (await import('./webhook-enable.ts')).webhookEnable,
      },
      {
        name: 'webhook deliveries',
        load: async () => (await import('./webhook-deliveries.ts')).webhookDeliveries,
      },
      {
        name: 'webhook replay',
        load: async () => (await import('./webhook-replay.ts')).webhookReplay,
      },
    ],
  },
  {
    title: 'Prove that a service owns the hosts that it declares',
    commands: [
      {
        name: 'ownership show',
        load: async () => (await import('./ownership-show.ts')).ownershipShow,
      },
      {
        name: 'ownership check',
        load: async () => (await import('./ownership-check.ts')).ownershipCheck,
      },
    ],
  },
  {
    title: 'Administer the store directly, with or without a running server',
    commands: [
      { name: 'service add', load: async () => (await import('./service-add.ts')).serviceAdd },
      { name: 'service list', load: async () => (await import('./service-list.ts')).serviceList },
      {
        name: 'service overlaps',
        load: async () => (await import('./service-overlaps.ts')).serviceOverlaps,
      },
      { name: 'service set', load: async () => (await import('./service-set.ts')).serviceSet },
      { name: 'account add', load: async () => (await import('./account-add.ts')).accountAdd },
      { name: 'account link', load: async () => (await import('./account-link.ts')).accountLink },
      { name: 'account list', load: async () => (await import('./account-list.ts')).accountList },
      { name: 'account show', load: async () => (await import('./account-show.ts')).accountShow },
      {
        name: 'account usage',
        load: async () => (await import('./account-usage.ts')).accountUsage,
      },
      { name: 'account set', load: async () => (await import('./account-set.ts')).accountSet },
      { name: 'token issue', load: async () => (await import('./token-issue.ts')).tokenIssue },
      { name: 'token list', load: async () => (await import('./token-list.ts')).tokenList },
      { name: 'token revoke', load: async () => (await import('./token-revoke.ts')).tokenRevoke },
      {
        name: 'token generate',
        load: async () => (await import('./token-generate.ts')).tokenGenerate,
      },
      {
        name: 'sample import',
        load: async () => (await import('./sample-import.ts')).sampleImport,
      },
      {
        name: 'sample failed',
        load: async () => (await import('./sample-failed.ts')).sampleFailed,
      },
      {
        name: 'sample analyse',
        load: async () => (await import('./sample-analyse.ts')).sampleAnalyse,
      },
      { name: 'purge report', load: async () => (await import('./purge-report.ts')).purgeReport },
      { name: 'purge sample', load: async () => (await import('./purge-sample.ts')).purgeSample },
      { name: 'audit list', load: async () => (await import('./audit-list.ts')).auditList },
    ],
  },
  {
    title: 'Maintain the store',
    commands: [
      { name: 'doctor', load: async () => (await import('./doctor.ts')).doctor },
      {
        name: 'clock confirm',
        load: async () => (await import('./clock-confirm.ts')).clockConfirm,
      },
      { name: 'backup', load: async () => (await import('./backup.ts')).backup },
      { name: 'restore', load: async () => (await import('./restore.ts')).restore },
      { name: 'migrate', load: async () => (await import('./migrate.ts')).migrate },
    ],
  },
];

export const commands: readonly CommandEntry[] = groups.flatMap((group) => group.commands);
