import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { Log } from '../observability/log.ts';
import type { Dependencies } from '../operations/dependencies.ts';
import {
  findUnreadable,
  identifySecrets,
  type UnreadableSecrets,
} from '../operations/webhooks/check-secrets.ts';
import { createSealer } from '../outgoing/sealed-secrets.ts';
import { openSecretKey, readSecretKey } from '../outgoing/secret-key-file.ts';
import type { Sealer } from '../ports/outgoing.ts';

type KeySettings = Pick<Config, 'secretKey' | 'dataDir' | 'database'>;

/** Encrypts with the key of the settings, or with that of the data folder, which it may create. */
export async function openSealer(config: KeySettings): Promise<Sealer> {
  return createSealer(config.secretKey ?? (await openSecretKey(keyFile(config))));
}

/** The same without creating a key; `undefined` if there is none. */
export async function readSealer(config: KeySettings): Promise<Sealer | undefined> {
  const key = config.secretKey ?? (await readSecretKey(keyFile(config)));
  return key && createSealer(key);
}

/** Logs a warning if this process cannot sign the deliveries of some webhooks. */
export async function warnAboutSecrets(
  config: KeySettings,
  deps: Pick<Dependencies, 'store'>,
  { sealer, log }: { readonly sealer: Sealer; readonly log: Log },
): Promise<void> {
  await identifySecrets(deps, sealer);
  const unreadable = await findUnreadable(deps, sealer);
  const former = await deps.store.webhooks.recordKey(sealer.keyId);
  const { webhooks, hasMore } = unreadable;
  if (webhooks.length > 0) {
    log.warn({ webhooks, hasMore }, `${describe(unreadable)} ${remedy(config)}`);
    return;
  }
  // One process uses SQLite: without webhooks a new key changes nothing.
  if (config.database.kind === 'postgres' && former !== undefined && former !== sealer.keyId)
    log.warn(
      'the store was last opened with another secret key: all nodes need the same RAPSHEET_SECRET_KEY, or they cannot send the webhooks of each other',
    );
}

/** What is wrong, what to do, and a command for each webhook. Empty if nothing is wrong. */
export function explainUnreadable(
  config: KeySettings,
  unreadable: UnreadableSecrets,
): readonly string[] {
  if (unreadable.webhooks.length === 0) return [];
  return [
    `${describe(unreadable)} ${remedy(config)}`,
    ...unreadable.webhooks.map(({ service, id }) => `rapsheet webhook rotate ${service} ${id}`),
  ];
}

function describe({ webhooks, hasMore }: UnreadableSecrets): string {
  const count = hasMore ? `more than ${webhooks.length}` : webhooks.length;
  return `the secret key is missing or not the one that encrypted the secrets of ${count} ${webhooks.length === 1 ? 'webhook' : 'webhooks'}, whose deliveries wait.`;
}

function remedy(config: KeySettings): string {
  const rotate = 'or give each webhook a new secret with rapsheet webhook rotate <service> <id>';
  if (config.secretKey !== undefined)
    return `Set RAPSHEET_SECRET_KEY to the former key and start again, ${rotate}`;
  const nodes =
    config.database.kind === 'postgres'
      ? ' (or set the same RAPSHEET_SECRET_KEY on all nodes)'
      : '';
  return `Put the file secret-key of the former data folder back as ${keyFile(config)}${nodes} and start again, ${rotate}`;
}

function keyFile({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'secret-key');
}
