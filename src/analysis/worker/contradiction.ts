import type { Analysis } from '../../domain/samples/analysis.ts';
import type { FileDigests, SampleToAnalyse } from '../../ports/analyser.ts';

/** Compares the analysis with what the server knows about the file itself. */
export function contradiction(
  { report }: Analysis,
  known: Pick<SampleToAnalyse, 'fileName' | 'sizeBytes' | 'digests'>,
): string | undefined {
  if (report.fileName !== known.fileName) return 'fileName: is not that of the sample';
  if (report.sizeBytes !== known.sizeBytes) return 'sizeBytes: is not that of the sample';
  const { digests } = known;
  if (digests === undefined) return undefined;
  const wrong = (Object.keys(digests) as (keyof FileDigests)[]).find(
    (name) => digests[name] !== report[name],
  );
  return wrong && `${wrong}: is not that of the sample`;
}
