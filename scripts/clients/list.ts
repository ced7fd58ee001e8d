import type { Client } from './client.ts';
import { AD_BLOCKERS } from './rows/ad-blockers.ts';
import { DNS } from './rows/dns.ts';
import { CLIENT_GENERATORS } from './rows/generators.ts';
import { INTELLIGENCE } from './rows/intelligence.ts';
import { LIVE } from './rows/live.ts';
import { PACKETS } from './rows/packets.ts';
import { SERVICE } from './rows/service.ts';
import { TABLES } from './rows/tables.ts';
import { TRANSPORT } from './rows/transport.ts';

/** All clients, by what they read. */
export const CLIENTS: Readonly<Record<string, readonly Client[]>> = {
  Downloads: TRANSPORT,
  Tables: TABLES,
  'Threat intelligence': INTELLIGENCE,
  'Name servers': DNS,
  'Packet filters and detection': PACKETS,
  'Ad blockers': AD_BLOCKERS,
  'Live stream': LIVE,
  'Files and monitoring': SERVICE,
  'Generators of clients': CLIENT_GENERATORS,
};
