import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { installationNamespace } from '../../domain/installation-namespace.ts';
import type { Log } from '../../observability/log.ts';
import type { FeedStore } from '../../ports/feed-store.ts';
import { openFolder } from '../data-folders.ts';
import { ExportBuilder } from './export-builder.ts';
import { ExportCache } from './export-cache.ts';

interface ExportDependencies {
  readonly feeds: FeedStore;
  readonly log: Pick<Log, 'error'>;
  baseUrl(): string;
}

/** The first number of Suricata rules. */
const FIRST_RULE_NUMBER = 90_000_000;

/** Exports in the data folder. Nothing runs before the first one is requested. */
export function openExports(
  config: Pick<Config, 'database' | 'dataDir' | 'exportsMaxBytes'>,
  { feeds, log, baseUrl }: ExportDependencies,
): ExportCache {
  const { database, exportsMaxBytes: maxBytes } = config;
  const folder = join(config.dataDir, 'exports');
  openFolder('RAPSHEET_DATA_DIR', folder);
  // It never changes.
  let namespace: string | undefined;
  const namespaceOf = async () => {
    namespace ??= installationNamespace(await feeds.secret());
    return namespace;
  };
  const settings = async () => ({
    baseUrl: baseUrl(),
    namespace: await namespaceOf(),
    allowed: [],
    firstRuleNumber: FIRST_RULE_NUMBER,
  });
  const builder = new ExportBuilder({ database, folder });
  return new ExportCache({ feeds, log, builder, folder, maxBytes, settings });
}
