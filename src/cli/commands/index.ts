import type { Command } from '../command.ts';
import { accountAdd } from './account-add.ts';
import { accountList } from './account-list.ts';
import { accountSet } from './account-set.ts';
import { analyse } from './analyse.ts';
import { auditList } from './audit-list.ts';
import { backup } from './backup.ts';
import { balance } from './balance.ts';
import { deleteReport } from './delete.ts';
import { demo } from './demo.ts';
import { deskList } from './desk-list.ts';
import { deskSet } from './desk-set.ts';
import { deskShow } from './desk-show.ts';
import { doctor } from './doctor.ts';
import { feedBulk } from './feed-bulk.ts';
import { feedChanges } from './feed-changes.ts';
import { feedFollow } from './feed-follow.ts';
import { feedList } from './feed-list.ts';
import { fetchReport } from './fetch.ts';
import { lookup } from './lookup.ts';
import { migrate } from './migrate.ts';
import { purgeReport } from './purge-report.ts';
import { purgeSample } from './purge-sample.ts';
import { report } from './report.ts';
import { restore } from './restore.ts';
import { sampleImport } from './sample-import.ts';
import { search } from './search.ts';
import { serve } from './serve.ts';
import { serviceAdd } from './service-add.ts';
import { serviceList } from './service-list.ts';
import { serviceSet } from './service-set.ts';
import { tokenGenerate } from './token-generate.ts';
import { tokenIssue } from './token-issue.ts';
import { tokenList } from './token-list.ts';
import { tokenRevoke } from './token-revoke.ts';
import { upload } from './upload.ts';
import { webhookAdd } from './webhook-add.ts';
import { webhookDeliveries } from './webhook-deliveries.ts';
import { webhookEnable } from './webhook-enable.ts';
import { webhookList } from './webhook-list.ts';
import { webhookRemove } from './webhook-remove.ts';
import { webhookReplay } from './webhook-replay.ts';
import { webhookRotate } from './webhook-rotate.ts';
import { webhookTest } from './webhook-test.ts';
import { worker } from './worker.ts';

interface CommandGroup {
  readonly title: string;
  readonly commands: readonly Command[];
}

/** Every command, in the order in which `rapsheet help` shows them. */
export const groups: readonly CommandGroup[] = [
  { title: 'Run it', commands: [serve, worker, demo, analyse] },
  {
    title: 'Call a server',
    commands: [report, fetchReport, deleteReport, lookup, upload, search, balance],
  },
  {
    title: 'Follow and fill feeds of a server',
    commands: [feedList, feedChanges, feedFollow, feedBulk],
  },
  {
    title: 'Answer as the desk of a service',
    commands: [deskList, deskShow, deskSet],
  },
  {
    title: 'Have the changes of a feed sent',
    commands: [
      ...[webhookAdd, webhookList, webhookRemove, webhookRotate],
      ...[webhookTest, webhookEnable, webhookDeliveries, webhookReplay],
    ],
  },
  {
    title: 'Administer the store itself, with or without a running server',
    commands: [
      ...[serviceAdd, serviceList, serviceSet],
      ...[accountAdd, accountList, accountSet],
      ...[tokenIssue, tokenList, tokenRevoke, tokenGenerate],
      ...[sampleImport, purgeReport, purgeSample, auditList],
    ],
  },
  {
    title: 'Keep the store',
    commands: [doctor, backup, restore, migrate],
  },
];

export const commands: readonly Command[] = groups.flatMap((group) => group.commands);
