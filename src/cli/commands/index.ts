import type { Command, CommandGroup } from '../command.ts';

/** A command, which is the only export of its file. */
type CommandModule = Readonly<Record<string, Command>>;

/** The name of a command, what it does in a line, and its file. */
type CommandFile = readonly [name: string, summary: string, load: () => Promise<CommandModule>];

/** Every command, in the order in which `rapsheet help --all` shows them. */
export const groups: readonly CommandGroup[] = [
  group('Run Rapsheet', [
    ['serve', 'Start the server', () => import('./serve.ts')],
    [
      'worker',
      'Analyse samples that servers on the same store receive',
      () => import('./worker.ts'),
    ],
    [
      'upgrade',
      'Apply the migrations of this version to the store, as the start of a server does',
      () => import('./upgrade.ts'),
    ],
    [
      'demo',
      'Fill a new store with invented services, accounts, reports and analysed files',
      () => import('./demo.ts'),
    ],
    [
      'analyse',
      'Analyse files or folders on this machine, in isolation and without a server',
      () => import('./analyse.ts'),
    ],
  ]),
  group('Sign in to a server', [
    [
      'login',
      'Check a token and store it as a profile for later commands',
      () => import('./login.ts'),
    ],
    [
      'logout',
      'Remove a profile and its token from this machine; the token stays valid',
      () => import('./logout.ts'),
    ],
    [
      'whoami',
      'Show the account, its token and the server that commands use',
      () => import('./whoami.ts'),
    ],
    [
      'profile list',
      'List the profiles that `rapsheet login` stored, without their tokens',
      () => import('./profile/list.ts'),
    ],
    [
      'profile use',
      'Make a profile the default of later commands',
      () => import('./profile/use.ts'),
    ],
  ]),
  group('Report C2 addresses, and answer reports', [
    [
      'report add',
      'Report one C2 address to a service, or those of a file; prints the id, or the counts',
      () => import('./report/add.ts'),
    ],
    [
      'report list',
      'List the reports of a feed or of all feeds, newest first',
      () => import('./report/list.ts'),
    ],
    [
      'report show',
      'Show a report with its status and sightings, or what happened to it',
      () => import('./report/show.ts'),
    ],
    [
      'report set',
      'Set the status of reports in a feed you own, by id or by filter',
      () => import('./report/set.ts'),
    ],
    [
      'report remove',
      'Remove a report: your own, one in a feed that you own or, with --store, any',
      () => import('./report/remove.ts'),
    ],
    [
      'proposal list',
      'List the reports that the analyses of your uploads propose, newest first',
      () => import('./proposal/list.ts'),
    ],
    [
      'proposal report',
      'Report what is proposed; prints the id of the report',
      () => import('./proposal/report.ts'),
    ],
    [
      'proposal dismiss',
      'Dismiss a proposal, so that it is no longer listed as open',
      () => import('./proposal/dismiss.ts'),
    ],
  ]),
  group('Read and follow feeds', [
    [
      'feed changes',
      'List the reports created, changed and deleted in a feed after a sequence number',
      () => import('./feed/changes.ts'),
    ],
    [
      'feed follow',
      'Print the changes of a feed as they happen; a state file lets it resume',
      () => import('./feed/follow.ts'),
    ],
    [
      'feed export',
      'Write the reports of a feed or of all feeds in the format of another program',
      () => import('./feed/export.ts'),
    ],
  ]),
  group('Look up and analyse files', [
    [
      'lookup',
      'Look up analysis reports by SHA-256, SHA-512 or BLAKE3; each hash costs a unit',
      () => import('./lookup.ts'),
    ],
    [
      'sample add',
      'Upload files or folders for analysis, and wait for the results; with --report, report the C2s that services answer for',
      () => import('./sample/add.ts'),
    ],
    [
      'sample status',
      'Show how far the analyses of files are, without using the quota',
      () => import('./sample/status.ts'),
    ],
    [
      'sample similar',
      'List files that are similar to a file, best match first; costs a unit',
      () => import('./sample/similar.ts'),
    ],
    [
      'sample download',
      'Download a file, in a zip with the password "infected"',
      () => import('./sample/download.ts'),
    ],
    [
      'sample import',
      'Import finished analysis reports into the store, one per line',
      () => import('./sample/import.ts'),
    ],
    [
      'sample failed',
      'List the files of the store whose analysis failed, newest failure first',
      () => import('./sample/failed.ts'),
    ],
    [
      'sample analyse',
      'Analyse files of the store again; their reports stay until new ones replace them',
      () => import('./sample/analyse.ts'),
    ],
    [
      'sample remove',
      'Remove the analysis report of a file from the store; a tombstone and the reason remain',
      () => import('./sample/remove.ts'),
    ],
  ]),
  group('Find out', [
    [
      'search',
      'Search all feeds and samples for a hash, C2, host, tag, family, account or free text',
      () => import('./search.ts'),
    ],
    [
      'c2 show',
      'Show what is known of a C2 (<host>:<port>), or of all C2s of a host',
      () => import('./c2-show.ts'),
    ],
    [
      'statistics show',
      'Show the reports and answers of a feed or of all feeds, or of a reporter',
      () => import('./statistics-show.ts'),
    ],
    [
      'usage show',
      'Show the units charged per day, token and operation, or how many are left, using none',
      () => import('./usage-show.ts'),
    ],
  ]),
  group('Manage services', [
    [
      'service list',
      'List the services with their hosts and networks',
      () => import('./service/list.ts'),
    ],
    [
      'service show',
      'Show a service: its hosts, networks and scale; to its owners also more',
      () => import('./service/show.ts'),
    ],
    ['service add', 'Add a service and its feed to the store', () => import('./service/add.ts')],
    [
      'service set',
      'Change a service in the store; the given hosts and networks replace its own',
      () => import('./service/set.ts'),
    ],
    [
      'service check',
      'Check now whether a declared host of a service is proven; fails if it is not',
      () => import('./service/check.ts'),
    ],
  ]),
  group('Manage webhooks, and deliveries of webhooks and mail', [
    [
      'webhook add',
      'Add a webhook to a feed that you own; prints its secret, which is shown only once',
      () => import('./webhook/add.ts'),
    ],
    [
      'webhook list',
      'List the webhooks of a feed that you own or, as an administrator, of all feeds',
      () => import('./webhook/list.ts'),
    ],
    [
      'webhook set',
      'Enable a webhook after failures; as an administrator, also disable or reassign it',
      () => import('./webhook/set.ts'),
    ],
    [
      'webhook remove',
      'Remove a webhook; its pending deliveries are not sent',
      () => import('./webhook/remove.ts'),
    ],
    [
      'webhook rotate',
      'Rotate the secret of a webhook, shown only once; the old one also signs for a day',
      () => import('./webhook/rotate.ts'),
    ],
    [
      'delivery list',
      'List the deliveries of a webhook or of mail, newest first',
      () => import('./delivery/list.ts'),
    ],
    [
      'delivery replay',
      'Send deliveries to a webhook or by mail again, in any state',
      () => import('./delivery/replay.ts'),
    ],
    [
      'delivery test',
      'Send a test to a webhook or by mail; prints the id of its delivery',
      () => import('./delivery/test.ts'),
    ],
  ]),
  group('Manage accounts and tokens', [
    [
      'account add',
      'Add an account to the store; prints its first token, which is shown only once',
      () => import('./account/add.ts'),
    ],
    ['account list', 'List the accounts of the store, by name', () => import('./account/list.ts')],
    [
      'account show',
      'Show an account of the store with its roles, feeds and quota',
      () => import('./account/show.ts'),
    ],
    [
      'account set',
      'Change an account in the store; the given services replace its services',
      () => import('./account/set.ts'),
    ],
    [
      'account link',
      'Create a link that signs a browser in as an account, once, within 15 minutes (an invitation: 7 days)',
      () => import('./account/link.ts'),
    ],
    [
      'session end',
      'Sign an account, by default your own, out in all browsers; invalidate its unused links',
      () => import('./session-end.ts'),
    ],
    [
      'token issue',
      'Issue a token for an account, by default your own; it is shown only once',
      () => import('./token/issue.ts'),
    ],
    [
      'token list',
      'List the tokens of an account, by default your own, without their values',
      () => import('./token/list.ts'),
    ],
    [
      'token revoke',
      'Revoke a token, by its id; a running server refuses its next request',
      () => import('./token/revoke.ts'),
    ],
    [
      'token generate',
      'Generate a token for RAPSHEET_ADMIN_TOKEN, without opening the store',
      () => import('./token/generate.ts'),
    ],
    [
      'audit list',
      'List the audit log of the store, newest first',
      () => import('./audit-list.ts'),
    ],
  ]),
  group('Maintain the store', [
    [
      'doctor',
      'Check the consistency of the store; it changes nothing without --recount or --repair',
      () => import('./doctor.ts'),
    ],
    [
      'clock confirm',
      'Confirm the clock after a jump, so that housekeeping resumes',
      () => import('./clock-confirm.ts'),
    ],
    [
      'backup',
      'Back up the store and its samples to a new folder, even while a server runs',
      () => import('./backup.ts'),
    ],
    [
      'restore',
      'Restore a backup into an empty data folder; the backup is verified first',
      () => import('./restore.ts'),
    ],
    [
      'migrate',
      'Move a whole store to another database; the same call again resumes it',
      () => import('./migrate.ts'),
    ],
  ]),
  group('Use this program', [
    [
      'help',
      'Show how a command is used, or list the commands of every day or, with --all, all of them',
      () => import('./help.ts'),
    ],
    [
      'version',
      'Show the version of this program and of the Node that runs it',
      () => import('./version.ts'),
    ],
    [
      'completion',
      'Print a script that completes commands, options and their values in a shell',
      () => import('./completion.ts'),
    ],
  ]),
];

function group(title: string, files: readonly CommandFile[]): CommandGroup {
  return {
    title,
    commands: files.map(([name, summary, load]) => ({
      name,
      summary,
      load: async () => ({ name, summary, ...only(await load()) }),
    })),
  };
}

function only(module: CommandModule): Command {
  const [command] = Object.values(module);
  if (command === undefined) throw new Error('the file of a command exports none');
  return command;
}
