import { join } from 'node:path';
import type { SamplesLocation } from '../config/locations.ts';
import type { SampleFiles } from '../ports/sample-files.ts';
import { openSampleFolder } from './folder.ts';
import { openSampleBucket } from './s3.ts';

interface OpenOptions {
  /** Whether to test the bucket now. */
  readonly probe: boolean;
  /** Creates the folders of the settings, or throws. It is called after the probe of the bucket. */
  readonly makeFolders?: () => void;
}

/**
 * Opens the folder or bucket of the settings. With `probe`, it rejects with a message for the
 * operator if the bucket cannot be used; without, the first use fails.
 */
export async function openSampleFiles(
  location: SamplesLocation,
  dataDir: string,
  { probe, makeFolders }: OpenOptions,
): Promise<SampleFiles> {
  if (location.kind === 's3')
    return openSampleBucket(location, { incoming: join(dataDir, 'incoming'), probe, makeFolders });
  makeFolders?.();
  return openSampleFolder(location.folder);
}
