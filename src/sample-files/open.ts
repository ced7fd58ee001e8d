import { join } from 'node:path';
import type { SamplesLocation } from '../config/locations.ts';
import type { SampleFiles } from '../ports/sample-files.ts';
import { openSampleFolder } from './folder.ts';
import { openSampleBucket } from './s3.ts';

interface OpenOptions {
  readonly probe: boolean;
  /** Creates the folders that the settings name, or throws; called once the bucket has passed the probe. */
  readonly makeFolders?: () => void;
}

/**
 * The samples, wherever the settings put them. Who probes is told at once, in words for an operator, that a bucket cannot
 * be used; all others get to know it when they need it.
 */
export async function openSampleFiles(
  place: SamplesLocation,
  dataDir: string,
  { probe, makeFolders }: OpenOptions,
): Promise<SampleFiles> {
  if (place.kind === 's3')
    return openSampleBucket(place, { incoming: join(dataDir, 'incoming'), probe, makeFolders });
  makeFolders?.();
  return openSampleFolder(place.folder);
}
