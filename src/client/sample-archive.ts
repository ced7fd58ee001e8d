import type { Reply } from './transport.ts';

/** A file in a zip with the password `infected`. */
export interface SampleArchive {
  /** Fails if the download is incomplete. */
  readonly body: ReadableStream<Uint8Array>;
  /** The SHA-256 of the file; `undefined` if a proxy removed the header. */
  readonly sha256: string | undefined;
}

export function openArchive({ body, headers }: Reply<ReadableStream<Uint8Array>>): SampleArchive {
  const disposition = headers.get('content-disposition') ?? '';
  return { body, sha256: /filename="([0-9a-f]{64})\.zip"/.exec(disposition)?.[1] };
}
