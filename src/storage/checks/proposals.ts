import { sql } from 'kysely';
import { forbiddenRows, forbiddenRowsCheck } from './check.ts';

/** A reported proposal is of the report that was created from it, unless that was deleted. */
export const proposals = forbiddenRowsCheck('reported proposals', [
  forbiddenRows('proposal, with the report of another account, feed, file or C2', (dialect) => {
    const sha256 =
      dialect === 'sqlite' ? sql`lower(hex(proposal.sha256))` : sql`encode(proposal.sha256, 'hex')`;
    return sql`
      select proposal.id, report.id as report_id from proposal
      inner join report on report.id = proposal.report_id
      where report.reporter_id <> proposal.account_id
        or report.service_id <> proposal.service_id
        or report.host <> proposal.host or report.port <> proposal.port
        or report.sha256 <> ${sha256}`;
  }),
]);
