import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ReportFilter } from '../../domain/reports/feed-filter.ts';
import type { ExportContext, Exporter } from '../../exports/exporter.ts';
import type { FeedSnapshot } from '../../ports/feed-snapshots.ts';
import { writeArchive } from './archive.ts';
import type { SpoolWriter } from './spool-writer.ts';

/** How long other builds and a cancellation wait: reads may be synchronous. */
const TURN_MS = 3;

export interface BuildOptions {
  readonly snapshot: FeedSnapshot;
  readonly filter: ReportFilter;
  readonly exporter: Exporter;
  readonly context: ExportContext;
  readonly signal: AbortSignal;
  /** For the files of an archive. */
  readonly folder: string;
  /** Gets the size of these files. */
  readonly onTemporary: (bytes: number) => void;
}

/** Writes an export to the spool. */
export async function buildExport(options: BuildOptions, spool: SpoolWriter): Promise<void> {
  const { exporter, context, folder, onTemporary } = options;
  const files = exporter.archive?.(context.options);
  if (files === undefined) {
    await writeFile(options, spool);
    return;
  }
  await writeArchive(Object.keys(files), spool, {
    folder,
    onTemporary,
    modifiedAt: new Date(context.changedAt),
    write: async (name, file) => {
      const part = files[name];
      if (part !== undefined) await writeFile({ ...options, exporter: part }, file);
    },
  });
}

async function writeFile(
  { snapshot, filter, exporter, context, signal }: BuildOptions,
  spool: SpoolWriter,
): Promise<void> {
  const writer = exporter.open(context);
  const order = exporter.variant?.(context.options).order ?? exporter.order;
  let turnedAt = performance.now();
  spool.append(writer.start());
  const { fields, hasExpired } = exporter;
  for await (const batch of snapshot.reports({ filter, hasExpired, order, fields })) {
    for (const report of batch) spool.append(writer.report(report));
    if (performance.now() - turnedAt > TURN_MS) {
      await nextTurn();
      turnedAt = performance.now();
    }
    signal.throwIfAborted();
  }
  spool.append(writer.end((rest) => spool.digest(rest)));
  spool.flush();
}
