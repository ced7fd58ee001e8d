import { z } from 'zod';

/** The media type depends on the format. */
export const exportFile = {
  description: 'The file, in the media type of the format',
  content: {
    // A file of the format, which may be JSON.
    '*/*': { schema: z.unknown() },
  },
};

/** One range of the file. */
export const exportPart = { ...exportFile, description: 'The bytes of the `Range`' };

export const notModified = z
  .null()
  .meta({ description: 'The file has the version that `If-None-Match` names' });
