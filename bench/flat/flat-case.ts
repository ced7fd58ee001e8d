import type { Call, FlatServer } from './client.ts';

/** What a call may depend on. */
export interface CallContext {
  readonly server: FlatServer;
  /** Counts all calls of the case to this server, from 0. */
  readonly number: number;
  /** What `prepare` returned for this call of the round. */
  readonly id: string;
}

/** How one operation is measured. */
export interface FlatCase {
  call(context: CallContext): Call;
  /** Creates what the calls of a round need, unmeasured; returns an id for each of them. */
  prepare?(server: FlatServer, calls: number): Promise<readonly string[]>;
  /** The calls of a round, where rows or limits restrict them. */
  readonly calls?: number;
}

/** No case with `calls` makes more calls than this to a server, the warm-up included. */
const MAX_NUMBERED = 600;

/**
 * A row number for each of `MAX_NUMBERED` calls, spread over the store. Cases with different
 * offsets (0 to 15) never share a row, so that one may delete it.
 */
export function ownRow({ server, number }: CallContext, offset: number): number {
  if (number >= MAX_NUMBERED) throw new Error(`more than ${MAX_NUMBERED} calls`);
  return 1 + Math.floor((number * server.count) / MAX_NUMBERED) + offset;
}

export const JSON_TYPE = 'application/json';
export const NDJSON = 'application/x-ndjson';

export const json = (value: unknown) => ({ type: JSON_TYPE, body: JSON.stringify(value) });
