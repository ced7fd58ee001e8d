import assert from 'node:assert/strict';
import { it } from 'node:test';
import { reportQuestion } from './report-proposals.ts';

it('asks with the number of reports that each service gets', () => {
  const to = (...services: string[]) => reportQuestion(services.map((service) => ({ service })));
  assert.equal(to('ply'), 'Report it to ply?');
  assert.equal(to('ply', 'cask', 'ply'), 'Report these 3: 2 to ply, 1 to cask?');
});
