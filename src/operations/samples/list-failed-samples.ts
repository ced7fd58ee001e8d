import type { FailedPosition, FailedUpload } from '../../ports/sample-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { pageOf, readPageCursor } from '../page-cursor.ts';

export interface FailedListRequest {
  readonly cursor: string | undefined;
  readonly limit: number;
}

export interface ListedFailures {
  readonly samples: readonly FailedUpload[];
  /** `undefined` on the last page. */
  readonly nextCursor: string | undefined;
}

const PURPOSE = ['failed samples'];

/** Returns a page of the samples whose analysis failed, newest failure first. */
export async function listFailedSamples(
  { store: { feeds, samples } }: Pick<Dependencies, 'store'>,
  { cursor, limit }: FailedListRequest,
): Promise<ListedFailures> {
  const secret = await feeds.secret();
  const text = readPageCursor(secret, PURPOSE, cursor);
  const after = text === undefined ? undefined : parsePosition(text);
  const found = await samples.failed({ after, limit: limit + 1 });
  const page = pageOf(found, limit, { secret, purpose: PURPOSE, positionOf: formatPosition });
  return { samples: page.items, nextCursor: page.nextCursor };
}

function formatPosition({ failedAt, sha256 }: FailedPosition): string {
  return `${failedAt.toISOString()} ${sha256}`;
}

/** The text is sealed, so it is one of `formatPosition`. */
function parsePosition(text: string): FailedPosition {
  const [failedAt = '', sha256 = ''] = text.split(' ');
  return { failedAt: new Date(failedAt), sha256 };
}
