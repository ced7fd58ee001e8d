import { sql } from 'kysely';
import type { UploadState } from '../../../ports/sample-store.ts';
import { query } from '../../units/query.ts';

/**
 * A failed upload has no analysis and is queued like a new one. An upload that is done stays done,
 * so that its analysis is served until the next one replaces it.
 */
export const updateQueued = query<{ sha256: Uint8Array }>()((db, parameter) =>
  db
    .updateTable('upload')
    .set({
      state: sql<UploadState>`case when state = 'failed' then 'queued' else state end`,
      reanalysis: sql<'queued' | null>`case when state = 'done' then 'queued' end`,
      reason: null,
      ended_at: sql<string | null>`case when state = 'done' then ended_at end`,
      attempts: null,
    })
    .where('sha256', '=', parameter.sha256)
    .where(
      sql<boolean>`(state = 'failed' or state = 'done' and coalesce(reanalysis, '') <> 'queued')`,
    )
    .returning('uploaded_by'),
);
