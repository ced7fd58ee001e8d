import assert from 'node:assert/strict';
import type { Client } from '../client.ts';
import { npmPackage, pythonPackage } from '../sources.ts';
import type { Trial } from '../trial.ts';

const COMPARED = 'that it blocks every name and names below it, and no other';

/** The scripts get the list and hosts, and print those that it blocks. */
async function assertBlocked(
  trial: Trial,
  read: (list: string, hosts: string) => Promise<unknown>,
): Promise<void> {
  const names = (await trial.c2s('name')).map(({ host }) => host);
  const listed = names.flatMap((name) => [name, `www.${name}`]);
  const others = [...names.map((name) => `x${name}`), 'evil.example', 'innocent.example'];
  const hosts = trial.file('hosts.json', JSON.stringify([...listed, ...others]));
  assert.ok(names.length > 10);
  assert.deepEqual(await read(await trial.fetch('adblock'), hosts), listed);
}

export const AD_BLOCKERS: readonly Client[] = [
  {
    name: 'braveblock',
    source: pythonPackage('braveblock'),
    command: '`braveblock.Adblocker(rules=…)`, the engine of Brave',
    compared: COMPARED,
    run: (trial) => assertBlocked(trial, (...args) => trial.python('adblock-brave.py', ...args)),
  },
  {
    name: 'adblockparser',
    source: pythonPackage('adblockparser'),
    command: 'AdblockRules(lines).should_block(url)',
    compared: COMPARED,
    run: (trial) => assertBlocked(trial, (...args) => trial.python('adblock-parser.py', ...args)),
  },
  {
    name: '@ghostery/adblocker',
    source: npmPackage('@ghostery/adblocker'),
    command: 'FiltersEngine.parse(list).match(request)',
    compared: COMPARED,
    run: (trial) => assertBlocked(trial, (...args) => trial.node('adblock-ghostery.mjs', ...args)),
  },
];
