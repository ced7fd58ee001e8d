import type { SeededRandom } from './random.ts';

/** How a service is abused, and how its desk works. */
export interface DemoDesk {
  readonly service: string;
  /** The account that answers for it. */
  readonly account: string;
  readonly confidenceScale: number;
  /** The share of all reports. */
  readonly weight: number;
  /** The median time to the outcome. */
  readonly medianHours: number;
  /** How many addresses are acknowledged first, rejected, and never looked at. */
  readonly acknowledged: number;
  readonly rejected: number;
  readonly ignored: number;
  host(random: SeededRandom): string;
}

const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';
const WORDS = ['amber', 'birch', 'cedar', 'delta', 'ember', 'fjord', 'glade', 'heron', 'inlet'];

const word = (random: SeededRandom) => `${random.pick(WORDS)}-${random.integer(2, 97)}`;
const address = (network: string) => (random: SeededRandom) =>
  `${network}.${random.integer(3, 250)}`;

/** A name in the zone of the service, or now and then an address of its network. */
function hostOf(zone: string, network?: string) {
  return (random: SeededRandom): string => {
    if (network !== undefined && random.chance(0.4)) return address(network)(random);
    const name = random.chance(0.5) ? random.text(LETTERS, 5) : word(random);
    return `${name}.${zone}`;
  };
}

export const DEMO_DESKS: readonly DemoDesk[] = [
  {
    service: 'ply',
    account: 'ply-abuse',
    confidenceScale: 100,
    weight: 28,
    medianHours: 4,
    acknowledged: 0.7,
    rejected: 0.1,
    ignored: 0.06,
    host: hostOf('ply.example', '203.0.113'),
  },
  {
    service: 'cask',
    account: 'cask-abuse',
    confidenceScale: 10,
    weight: 20,
    medianHours: 16,
    acknowledged: 0.4,
    rejected: 0.14,
    ignored: 0.15,
    host: hostOf('cask.example', '198.51.100'),
  },
  {
    service: 'hopper',
    account: 'hopper-desk',
    confidenceScale: 100,
    weight: 20,
    medianHours: 7,
    acknowledged: 0.3,
    rejected: 0.06,
    ignored: 0.1,
    host: hostOf('hopper.example'),
  },
  {
    service: 'lattice',
    account: 'lattice-abuse',
    confidenceScale: 100,
    weight: 14,
    medianHours: 40,
    acknowledged: 0.85,
    rejected: 0.18,
    ignored: 0.2,
    host: hostOf('apps.lattice.example'),
  },
  {
    service: 'mailwright',
    account: 'mailwright-trust',
    confidenceScale: 100,
    weight: 10,
    medianHours: 22,
    acknowledged: 0.5,
    rejected: 0.25,
    ignored: 0.1,
    host: hostOf('mailwright.example', '192.0.2'),
  },
  {
    service: 'parcel',
    account: 'lattice-abuse',
    confidenceScale: 100,
    weight: 8,
    medianHours: 60,
    acknowledged: 0.1,
    rejected: 0.05,
    ignored: 0.85,
    host: hostOf('parcel.example'),
  },
];

export function deskOf(service: string): DemoDesk {
  const desk = DEMO_DESKS.find((each) => each.service === service);
  if (desk === undefined) throw new Error(`the demo has no desk of ${service}`);
  return desk;
}

/** The service that answers for an address of `demo/uploads.ndjson`, as `demo/feed.json` says. */
export function serviceOfHost(host: string): string {
  if (host.startsWith('[')) return 'lattice';
  return /^(?:192\.0\.2|198\.51\.100)\./.test(host) ? 'cask' : 'ply';
}
