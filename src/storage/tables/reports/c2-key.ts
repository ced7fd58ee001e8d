import { type RawBuilder, sql } from 'kysely';

/** A C2 in a feed: the key of its history. `report` and `c2_reporter` have these columns. */
export interface C2Key {
  readonly service_id: number;
  readonly host: string;
  readonly port: number;
}

export const C2_KEY_COLUMNS = ['service_id', 'host', 'port'] as const;

/** The rows of one C2, of the only table of the statement. */
export function hasC2Key({ service_id, host, port }: C2Key): RawBuilder<boolean> {
  return sql<boolean>`service_id = ${service_id} and host = ${host} and port = ${port}`;
}
