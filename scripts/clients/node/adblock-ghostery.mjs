/** Prints the hosts that a list blocks in the engine of Ghostery. Arguments: list, file of hosts. */
import { readFileSync } from 'node:fs';
import { FiltersEngine, Request } from '@ghostery/adblocker';

const [list, hosts] = process.argv.slice(2).map((file) => readFileSync(file, 'utf8'));
const engine = FiltersEngine.parse(list);
const isBlocked = (host) =>
  engine.match(
    Request.fromRawDetails({
      type: 'script',
      url: `https://${host}/a.js`,
      sourceUrl: 'https://page.example/',
    }),
  ).match;
console.log(JSON.stringify(JSON.parse(hosts).filter(isBlocked)));
