import { auditQuery } from '../../http/requests/parameters.ts';
import { presentAuditPage } from '../../http/responses/present.ts';
import { listAuditEntries } from '../../operations/accounts/list-audit-entries.ts';
import type { Command } from '../command.ts';
import { outputOption } from '../output/format.ts';
import { type Columns, printList } from '../output/list.ts';
import { onStore, parseInput } from '../store-command.ts';

export const auditList: Command = {
  name: 'audit list',
  usage: '[--limit <n>] [--before <id>] [--actor <name>] [--action <action>] [--subject <text>]',
  summary: 'List the audit log, newest first',
  options: {
    ...outputOption,
    limit: { type: 'string' },
    before: { type: 'string' },
    actor: { type: 'string' },
    action: { type: 'string' },
    subject: { type: 'string' },
  },
  async run(input) {
    const { json: _, output: __, ...filter } = input.options;
    const request = parseInput(auditQuery, filter);
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
