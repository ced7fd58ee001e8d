import { createHash } from 'node:crypto';
import { formatUuid } from './uuid.ts';

/** A UUID of a name within a namespace: RFC 9562, section 5.5. */
export function uuidV5(namespace: string, name: string): string {
  const digest = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name);
  return formatUuid(digest.digest(), 5);
}
