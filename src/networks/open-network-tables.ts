import { type Origin, readAutonomousSystem, readCountry } from '../domain/networks/origin.ts';
import { isAddress } from '../domain/search-query.ts';
import type { NetworkTables } from '../ports/networks.ts';
import { openMmdb } from './mmdb.ts';

interface TableFiles {
  readonly asnDatabase: string | undefined;
  readonly countryDatabase: string | undefined;
}

/** Opens the tables of the settings. Rejects with the setting whose file is absent or wrong. */
export async function openNetworkTables({
  asnDatabase,
  countryDatabase,
}: TableFiles): Promise<NetworkTables> {
  const systems =
    asnDatabase &&
    (await openMmdb(
      { setting: 'RAPSHEET_ASN_DB', file: asnDatabase, what: 'autonomous systems' },
      readAutonomousSystem,
    ));
  const countries =
    countryDatabase &&
    (await openMmdb(
      { setting: 'RAPSHEET_COUNTRY_DB', file: countryDatabase, what: 'countries' },
      readCountry,
    ));
  return {
    originOf(host): Origin {
      if (!isAddress(host)) return {};
      const asn = systems ? systems.get(host) : undefined;
      const country = countries ? countries.get(host) : undefined;
      return { ...(asn !== undefined && { asn }), ...(country !== undefined && { country }) };
    },
  };
}
