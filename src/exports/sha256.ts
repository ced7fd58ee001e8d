import type { ExportedReport } from '../domain/reports/exported-report.ts';
import { type Omission, openList } from './block-list.ts';
import { isSha256 } from './characters.ts';
import type { ExportContext, Exporter } from './exporter.ts';

/** The SHA-256 of the reported files, one per line. */
export const sha256: Exporter = {
  format: 'sha256',
  mediaType: 'text/plain; charset=utf-8',
  extension: 'sha256',
  order: 'file',
  fields: ['sha256', 'status'],
  open: (context) =>
    openList(context, {
      commentSign: '#',
      title: 'Rapsheet block list by SHA-256',
      key: (report) => report.sha256,
      omission: (report) => fileOmission(report, context),
      write: (report) => `${report.sha256}\n`,
    }),
};

/** A file stays malicious when its C2 is taken down, so actioned reports are listed here. */
export function fileOmission(
  { status, sha256: hash }: ExportedReport,
  { lists }: Pick<ExportContext, 'lists'>,
): Omission | undefined {
  if (!isSha256(hash)) return 'unwritable';
  if (lists.protectionOfFile(hash) !== undefined) return 'known-good';
  return status === 'rejected' || status === 'expired' ? status : undefined;
}
