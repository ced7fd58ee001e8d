import { createHmac } from 'node:crypto';

/** Fixed: ids that readers have stored depend on it. */
const LABEL = 'rapsheet: namespace of exported ids';

/**
 * The UUID from which the ids of exported objects are derived. It follows from the secret of the
 * installation, so it is the same on every node. Version 8 of RFC 9562, for custom contents.
 */
export function installationNamespace(secret: Uint8Array): string {
  const hex = createHmac('sha256', secret).update(LABEL).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
