import { createHmac } from 'node:crypto';
import { formatUuid } from './uuid.ts';

/**
 * The UUID from which ids of published objects are derived. It is the same on all nodes and
 * different in other installations, and does not reveal the secret.
 */
export function objectNamespace(secret: Uint8Array): string {
  return formatUuid(createHmac('sha256', secret).update('rapsheet object ids').digest(), 8);
}
