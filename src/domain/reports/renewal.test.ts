import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HOUR_MS } from '../duration.ts';
import { renewedExpiry, renewedIfBy, renewing } from './renewal.ts';

const start = new Date('2026-11-01T00:00:00Z');
const after = (hours: number) => new Date(start.getTime() + hours * HOUR_MS);

/** A report that expires that many hours after the start. */
function sighted(hours: number, sightings: number, soonestExpiry?: Date, host = 'evil.example') {
  const c2 = { host, port: 443 };
  return {
    report: { service: 'ply', c2, expiresAt: after(hours), sightings },
    history: { soonestExpiry },
  };
}

describe('new reports of a batch', () => {
  it('renew no other report if they are the first of their C2', () => {
    assert.deepEqual(renewing([sighted(24, 1), sighted(24, 1, undefined, 'other.example')]), []);
  });

  it('renew those that would expire an hour earlier or more', () => {
    const [late, soon] = [sighted(24, 2, after(23.5)), sighted(24, 2, after(23), 'other.example')];
    assert.deepEqual(renewing([late, soon]), [soon]);
  });

  it('renew none if all earlier ones have a final status', () => {
    assert.deepEqual(renewing([sighted(24, 2)]), []);
  });

  it('renew once for a batch, unless a later one extends the expiry by an hour', () => {
    const [first, second, third] = [
      sighted(24, 2, start),
      sighted(24.5, 3, start),
      sighted(25, 4, start),
    ];
    assert.deepEqual(renewing([first, second, third]), [first, third]);
  });

  it('renew earlier ones of the same batch', () => {
    const [first, second] = [sighted(24, 1), sighted(25, 2)];
    assert.deepEqual(renewing([first, second]), [second]);
  });
});

describe('the expiry of a report', () => {
  it('is extended by an hour at least', () => {
    assert.deepEqual(renewedIfBy(after(2)), after(1));
  });

  it('is a period after the last sighting of its C2', () => {
    assert.deepEqual(renewedExpiry(start, after(1), 1), after(24));
    assert.equal(renewedExpiry(start, after(24), 1), undefined);
  });
});
