import type { ExportRequest, Exports, ExportVersion, OpenExport } from '../../ports/exports.ts';

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
    signal,
  }: {
    isKnown(version: ExportVersion): boolean;
    readonly wantsBytes: boolean;
    readonly signal: AbortSignal;
  },
): Promise<OpenExport | ExportVersion> {
  const version = await exports.version(request);
  if (!wantsBytes || isKnown(version)) return version;
  return await exports.open(request, signal);
}
