import { join } from 'node:path';
import type { SamplesPlace } from '../places.ts';
import type { SampleFiles } from '../ports/sample-files.ts';
import { openSampleFolder } from './folder.ts';
import { openSampleBucket } from './s3.ts';

/**
 * The samples, wherever the settings put them. Who probes is told at once, in words for an operator, that a bucket cannot
 * be used; all others get to know it when they need it.
 */
export function openSampleFiles(
  place: SamplesPlace,
  dataDir: string,
  { probe }: { readonly probe: boolean },
): Promise<SampleFiles> {
  if (place.kind === 'folder') return openSampleFolder(place.folder);
  return openSampleBucket(place, { incoming: join(dataDir, 'incoming'), probe });
}
