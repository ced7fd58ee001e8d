import { all, query } from '../../units/query.ts';

export const insertEvent = query<{
  service_id: number;
  sequence: number;
  type: 'created' | 'updated' | 'deleted';
  report_id: string;
  at: string;
  number: number | null;
}>()((db, parameter) =>
  db
    .insertInto('event')
    .values(all(parameter, ['service_id', 'sequence', 'type', 'report_id', 'at', 'number'])),
);
