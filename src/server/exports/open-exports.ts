import { join } from 'node:path';
import type { Config } from '../../config.ts';
import type { Log } from '../../observability/log.ts';
import type { FeedStore } from '../../ports/feed-store.ts';
import { openFolder } from '../data-folders.ts';
import { ownLists } from '../lists/own-lists.ts';
import { ExportBuilder } from './export-builder.ts';
import { ExportCache } from './export-cache.ts';

interface ExportDependencies {
  readonly feeds: FeedStore;
  readonly log: Pick<Log, 'error'>;
  baseUrl(): string;
}

/** Exports in the data folder. Nothing runs before the first one is requested. */
export function openExports(
  config: Pick<
    Config,
    'database' | 'dataDir' | 'exportsMaxBytes' | 'allowList' | 'suricataFirstSid' | 'mail'
  >,
  { feeds, log, baseUrl }: ExportDependencies,
): ExportCache {
  const { database, exportsMaxBytes: maxBytes } = config;
  const folder = join(config.dataDir, 'exports');
  openFolder('RAPSHEET_DATA_DIR', folder);
  // It never changes.
  let namespace: string | undefined;
  const namespaceOf = async () => {
    namespace ??= await feeds.objectNamespace();
    return namespace;
  };
  const settings = async () => ({
    baseUrl: baseUrl(),
    namespace: await namespaceOf(),
    allowed: config.allowList,
    listsDigest: ownLists().digest,
    declared: await feeds.declaredHosts(),
    firstRuleNumber: config.suricataFirstSid,
    contact: config.mail?.from,
  });
  const builder = new ExportBuilder({ database, folder });
  return new ExportCache({ feeds, log, builder, folder, maxBytes, settings });
}
