import type {
  ExportReader,
  ExportRequest,
  Exports,
  ExportVersion,
  OpenExport,
} from '../../ports/exports.ts';

export interface ExportDependencies {
  readonly exports: Exports;
}

/**
 * Opens an export, unless the caller has its current version already or asks for no bytes. Returns
 * the version without bytes then.
 */
export async function exportFeed(
  { exports }: ExportDependencies,
  request: ExportRequest,
  {
    isKnown,
    wantsBytes,
    admit,
    ...reader
  }: ExportReader & {
    isKnown(version: ExportVersion): boolean;
    readonly wantsBytes: boolean;
    /** Called before the export is opened. Throws if the caller may not open one more. */
    admit(): void;
  },
): Promise<OpenExport | ExportVersion> {
  const version = await exports.version(request);
  if (!wantsBytes || isKnown(version)) return version;
  admit();
  return await exports.open(request, reader);
}
