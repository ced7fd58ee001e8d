import { Directory } from '../../src/domain/directory/directory.ts';
import type { Provider } from '../../src/domain/directory/provider.ts';
import type { Verdicts } from '../verdicts.ts';
import { hostOf, networkOf, TARGETS } from './addresses.ts';

const BATCH = 10_000;
/** What ships, and what an operator with the published ranges of all large providers has. */
const SIZES = [
  { providers: 150, entriesOfEach: 10 },
  { providers: 1000, entriesOfEach: 100 },
];
const LIMIT_MICROS = 15;

/** Half of the entries are suffixes, half are networks. */
function providerOf(number: number, entries: number): Provider {
  const fact = (value: string) => ({ value, source: '', date: new Date(0) });
  const numbers = Array.from({ length: entries / 2 }, (_, index) => (number * entries) / 2 + index);
  return {
    name: `provider ${number}`,
    kind: 'hosting',
    suffixes: numbers.map((one) => fact(hostOf(one).replace('*.', ''))),
    networks: numbers.map((one) => fact(networkOf(one))),
    mail: fact('abuse@provider.example'),
    form: undefined,
    feed: undefined,
  };
}

/** Measures the CPU time of finding the provider of an address. */
export function measureDirectory(verdicts: Verdicts, rounds: number): void {
  for (const { providers, entriesOfEach } of SIZES) {
    const all = Array.from({ length: providers }, (_, number) => providerOf(number, entriesOfEach));
    const directory = new Directory(all);
    for (const [kind, target] of Object.entries(TARGETS)) {
      const hosts = Array.from({ length: BATCH }, (_, index) => target(index));
      const found = hosts.filter((host) => directory.find(host) !== undefined).length;
      // The least: other programs on the machine only add to it.
      const micros = Math.min(
        ...Array.from({ length: rounds + 3 }, () => {
          const startedAt = process.cpuUsage();
          for (const host of hosts) directory.find(host);
          const { user, system } = process.cpuUsage(startedAt);
          return (user + system) / BATCH;
        }),
      );
      const name = `µs to find the provider of one ${kind} among ${providers} with ${directory.size} entries`;
      console.log(`directory: ${found} of ${BATCH} have a provider`);
      verdicts.add(name, micros, LIMIT_MICROS, 'less');
    }
  }
}
