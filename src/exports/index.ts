import { adblock } from './adblock.ts';
import { csv } from './csv.ts';
import { dnsmasq } from './dnsmasq.ts';
import type { Exporter } from './exporter.ts';
import { hosts } from './hosts.ts';
import { ipset } from './ipset.ts';
import { json } from './json.ts';
import { mispHashes } from './misp/hashes.ts';
import { misp } from './misp/misp.ts';
import { ndjson } from './ndjson.ts';
import { nftables } from './nftables.ts';
import { rpz } from './rpz.ts';
import { sha256 } from './sha256.ts';
import { sigma } from './sigma.ts';
import { snort } from './snort.ts';
import { stix } from './stix/bundle.ts';
import { suricata } from './suricata/suricata.ts';
import { threatfox } from './threatfox/threatfox.ts';
import { txt } from './txt.ts';
import { xarf } from './xarf/xarf.ts';
import { zeek } from './zeek.ts';

/** All formats of exports. */
export const EXPORTERS: readonly Exporter[] = [
  json,
  ndjson,
  csv,
  txt,
  hosts,
  dnsmasq,
  adblock,
  rpz,
  nftables,
  ipset,
  sha256,
  suricata,
  snort,
  zeek,
  sigma,
  stix,
  threatfox,
  misp,
  xarf,
];

/** Files that are built like exports, and have routes of their own. */
export const OTHER_EXPORTERS: readonly Exporter[] = [mispHashes];
