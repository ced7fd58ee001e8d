import type { Report } from './report.ts';

/** One step of a feed. Steps are numbered without gaps, in the order in which they were committed. */
export interface Change {
  readonly service: string;
  readonly sequence: number;
  readonly type: 'created' | 'updated' | 'deleted';
  readonly reportId: string;
  readonly at: Date;
  /** As the report stands now; absent where it is gone by now, whatever the step was. */
  readonly report: Report | undefined;
}
