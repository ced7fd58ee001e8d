import assert from 'node:assert/strict';
import { it } from 'node:test';
import { byService } from './by-service.ts';

const proposal = (service: string, c2Address: string) => ({
  service,
  c2Address,
  file256Hash: '',
  tags: [],
});

it('groups what is reported by the service that gets it', () => {
  assert.deepEqual(
    byService([
      proposal('ply', 'b.example:1'),
      proposal('cask', 'c.example:1'),
      proposal('ply', 'a.example:1'),
      // The same address in another file.
      proposal('ply', 'b.example:1'),
    ]),
    [
      { service: 'cask', addresses: ['c.example:1'], reports: 1 },
      { service: 'ply', addresses: ['a.example:1', 'b.example:1'], reports: 3 },
    ],
  );
});
