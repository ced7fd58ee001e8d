import { join } from 'node:path';
import type { SamplesLocation } from '../config/locations.ts';
import type { SampleFiles } from '../ports/sample-files.ts';
import { openSampleFolder } from './folder.ts';
import type { OnOutage } from './probe.ts';
import { openSampleBucket } from './s3.ts';

interface OpenOptions {
  /** Whether to test the bucket now. */
  readonly probe: boolean;
  /** Called if the bucket gives no answer to the test. Without it, an outage is an error. */
  readonly onOutage?: OnOutage;
  /** Creates the folders of the settings, or throws. It is called after the probe of the bucket. */
  readonly makeFolders?: () => void;
}

/**
 * Opens the folder or bucket of the settings. With `probe`, it rejects with a message for the
 * operator if the settings of the bucket are wrong; without, the first use fails.
 */
export async function openSampleFiles(
  location: SamplesLocation,
  dataDir: string,
  { makeFolders, ...options }: OpenOptions,
): Promise<SampleFiles> {
  if (location.kind === 's3')
    return openSampleBucket(location, {
      incoming: join(dataDir, 'incoming'),
      makeFolders,
      ...options,
    });
  makeFolders?.();
  return openSampleFolder(location.folder);
}
