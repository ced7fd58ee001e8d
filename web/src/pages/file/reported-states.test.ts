import assert from 'node:assert/strict';
import { it } from 'node:test';
import { reportedStates } from './reported-states.ts';

type Reported = Parameters<typeof reportedStates>[0][number];

const report = (service: string, status: Reported['status'], day: number): Reported => ({
  id: `${service}-${day}`,
  service,
  status,
  statusReason: status === 'actioned' ? 'taken_down' : null,
  reportedAt: `2026-11-0${day} 00:00:00`,
  updatedAt: `2026-11-0${day}T12:00:00Z`,
});

it('says since when a C2 is open, even if it was taken down before', () => {
  const newest = [report('ply', 'open', 4), report('ply', 'open', 3), report('ply', 'actioned', 1)];
  assert.deepEqual(reportedStates(newest), [
    { service: 'ply', status: 'open', reason: null, at: '2026-11-03 00:00:00', id: 'ply-4' },
  ]);
});

it('says when a desk decided, with the open feeds first', () => {
  const newest = [report('cask', 'actioned', 5), report('ply', 'acknowledged', 2)];
  assert.deepEqual(
    reportedStates(newest).map(({ service, at }) => `${service} ${at}`),
    ['ply 2026-11-02 00:00:00', 'cask 2026-11-05T12:00:00Z'],
  );
});

it('takes expired reports for none', () =>
  assert.deepEqual(reportedStates([report('ply', 'expired', 1)]), []));
