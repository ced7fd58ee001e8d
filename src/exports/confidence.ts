import type { ExportedReport } from '../domain/reports/exported-report.ts';
import type { ExportedService } from './exporter.ts';

/** The least confidence in a C2 that the settings in the file name. */
const MIN_CONFIRMED = 90;
/** The most confidence in a C2 if the settings in the file name others. */
const MAX_CONTRADICTED = 15;

/** The confidence of the reporter, from 0 to 100. */
export function percentOf(
  { confidence }: Pick<ExportedReport, 'confidence'>,
  service: Pick<ExportedService, 'confidenceScale'> | undefined,
): number {
  const scale = service?.confidenceScale ?? 100;
  return Math.min(100, Math.max(0, Math.round((confidence * 100) / scale)));
}

/** The confidence that the file uses the C2, from 0 to 100: it follows the confirmation. */
export function c2PercentOf(
  report: Pick<ExportedReport, 'confidence' | 'confirmation'>,
  service: Pick<ExportedService, 'confidenceScale'> | undefined,
): number {
  const percent = percentOf(report, service);
  if (report.confirmation === 'confirmed') return Math.max(percent, MIN_CONFIRMED);
  if (report.confirmation === 'contradicted') return Math.min(percent, MAX_CONTRADICTED);
  return percent;
}

/** A sentence about what the settings in the file say. Empty if they say nothing. */
export function confirmationSentence({
  confirmation,
}: Pick<ExportedReport, 'confirmation'>): string {
  if (confirmation === 'unknown') return '';
  const named = confirmation === 'confirmed' ? 'this C2' : 'other C2s';
  return `The settings in the file name ${named}.`;
}
