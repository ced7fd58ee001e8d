import { auditQuery } from '../../http/requests/parameters.ts';
import { presentAuditPage } from '../../http/responses/present.ts';
import { listAuditEntries } from '../../operations/accounts/list-audit-entries.ts';
import type { Command } from '../command.ts';
import { outputOption } from '../output/format.ts';
import { type Columns, printList } from '../output/list.ts';
import { onStore, parseInput } from '../store-command.ts';

const NAMES = {
  limit: '--limit',
  before: '--before',
  actor: '--actor',
  action: '--action',
  subject: '--subject',
};

export const auditList: Command = {
  usage: '[--limit <n>] [--before <id>] [--actor <name>] [--action <action>] [--subject <text>]',
  options: {
    ...outputOption,
    limit: {
      type: 'string',
      value: '<n>',
      description: 'The largest number of entries: 100 by default, at most 1000',
    },
    before: { type: 'string', value: '<id>', description: 'Only the entries before this one' },
    actor: {
      type: 'string',
      value: '<name>',
      description: 'The account that acted, or "command line"',
    },
    action: {
      type: 'string',
      value: '<action>',
      description: 'The action, or the part before its dot: account.add, account',
    },
    subject: {
      type: 'string',
      value: '<text>',
      description: 'What was changed, such as the name of an account',
    },
  },
  examples: [
    {
      command: 'rapsheet audit list --action account --limit 20',
      description: 'List the newest changes of accounts',
    },
  ],
  async run(input) {
    const { json: _, output: __, ...filter } = input.options;
    const request = parseInput(auditQuery, filter, NAMES);
    const page = presentAuditPage(await onStore(input, (deps) => listAuditEntries(deps, request)));
    printList(input, { result: page, columns: auditColumns, rows: page.entries });
  },
};

const auditColumns: Columns<ReturnType<typeof presentAuditPage>['entries'][number]> = [
  { name: 'id', title: 'ID', value: ({ id }) => id },
  { name: 'at', title: 'AT', value: ({ at }) => at },
  { name: 'actor', title: 'ACTOR', flexible: true, value: ({ actor }) => actor },
  { name: 'action', title: 'ACTION', value: ({ action }) => action },
  { name: 'subject', title: 'SUBJECT', value: ({ subject }) => subject },
  {
    name: 'detail',
    title: 'DETAIL',
    flexible: true,
    value: ({ detail }) => JSON.stringify(detail),
  },
];
