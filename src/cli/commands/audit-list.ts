import { pageQuery } from '../../http/requests/parameters.ts';
import { presentAudit } from '../../http/responses/present.ts';
import { listAuditEntries } from '../../operations/accounts/list-audit-entries.ts';
import type { Command } from '../command.ts';
import { table } from '../output/table.ts';
import { onStore, parseInput } from '../store-command.ts';

export const auditList: Command = {
  name: 'audit list',
  usage: '[--limit <n>] [--before <id>]',
  summary: 'List the audit log, newest first',
  options: { limit: { type: 'string' }, before: { type: 'string' } },
  async run(input) {
    const { limit, before } = parseInput(pageQuery, {
      limit: input.options['limit'],
      before: input.options['before'],
    });
    const found = await onStore(input, (deps) => listAuditEntries(deps, { limit, before }));
    const entries = found.map(presentAudit);
    input.print({ entries }, auditTable(entries));
  },
};

function auditTable(entries: readonly ReturnType<typeof presentAudit>[]): string {
  return table(
    ['ID', 'AT', 'ACTOR', 'ACTION', 'SUBJECT', 'DETAIL'],
    entries.map(({ id, at, actor, action, subject, detail }) => [
      String(id),
      at,
      actor,
      action,
      subject,
      JSON.stringify(detail),
    ]),
  );
}
