import { DatabaseSync } from 'node:sqlite';

/** The newest secret of a webhook, encrypted. */
export interface NewestSecret {
  readonly service: string;
  readonly id: string;
  readonly sealed: Uint8Array;
}

const HAS_TABLE = "select 1 from sqlite_master where type = 'table' and name = 'webhook_secret'";
const NEWEST = `
  select service.slug as service, webhook.id, webhook_secret.sealed
  from webhook_secret
  join webhook on webhook.id = webhook_secret.webhook_id
  join service on service.id = webhook.service_id
  where webhook_secret.valid_until is null and webhook.removed_at is null`;

/**
 * The secrets in a database of any version, which stays as it is: a restored one is migrated by the
 * first start.
 */
export function* readNewestSecrets(databaseFile: string): Generator<NewestSecret> {
  const database = new DatabaseSync(databaseFile, { readOnly: true });
  try {
    if (database.prepare(HAS_TABLE).get() === undefined) return;
    for (const row of database.prepare(NEWEST).iterate()) yield row as unknown as NewestSecret;
  } finally {
    database.close();
  }
}
