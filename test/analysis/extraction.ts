import type {
  Extraction,
  Extractor,
  Recognition,
} from '../../src/analysis/extractors/extractor.ts';
import { Subject } from '../../src/analysis/subject.ts';
import { type Allowance, recordFindings } from './findings.ts';

/** Runs an extractor on bytes as the engine does. */
export function extracted(
  extractor: Extractor,
  bytes: Buffer,
  allowance: Allowance = {},
): Extraction | Recognition | undefined {
  const subject = new Subject(bytes, 'sample');
  if (!extractor.matches(subject)) return undefined;
  return extractor.extract(subject, recordFindings(allowance).budget);
}
