import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Service } from './service.ts';
import { decideServiceChange } from './service-change.ts';

const service: Service = {
  slug: 'ply',
  name: 'Ply',
  confidenceScale: 100,
  hosts: ['*.ply.example'],
  networks: ['203.0.113.0/24'],
  expireAfterDays: 90,
  createdAt: new Date('2026-11-01T00:00:00Z'),
};
const used = { hasHadReports: true };

describe('a change of a service', () => {
  it('changes what is given', () => {
    const values = { name: 'Plywood', expireAfterDays: 30 };
    assert.deepEqual(decideServiceChange(service, values, used), {
      service: { ...service, ...values },
      hasOtherHosts: false,
      hasOtherPatterns: false,
    });
  });

  it('is refused if it changes the scale of a service that has had reports', () => {
    assert.equal(decideServiceChange(service, { confidenceScale: 10 }, used), 'scale-fixed');
    assert.notEqual(decideServiceChange(service, { confidenceScale: 100 }, used), 'scale-fixed');
    const decision = decideServiceChange(
      service,
      { confidenceScale: 10 },
      { hasHadReports: false },
    );
    assert.ok(typeof decision !== 'string');
    assert.equal(decision.service.confidenceScale, 10);
  });

  it('routes reports again if it changes the declared hosts or networks', () => {
    const other = (values: Partial<Service>) => {
      const decision = decideServiceChange(service, values, used);
      assert.ok(typeof decision !== 'string');
      return [decision.hasOtherHosts, decision.hasOtherPatterns];
    };
    assert.deepEqual(other({ hosts: [...service.hosts], networks: [...service.networks] }), [
      false,
      false,
    ]);
    assert.deepEqual(other({ hosts: ['ply.example'] }), [true, true]);
    assert.deepEqual(other({ hosts: [...service.hosts, 'ply.example'] }), [true, true]);
    assert.deepEqual(other({ networks: [] }), [false, true]);
  });

  it('is refused if it claims the built-in service: its name, hosts or networks', () => {
    const unclaimed = { ...service, slug: 'unclaimed', hosts: [], networks: [] };
    const decide = (values: Partial<Service>) => decideServiceChange(unclaimed, values, used);
    for (const values of [
      { name: 'Mine' },
      { hosts: ['ply.example'] },
      { networks: ['203.0.113.0/24'] },
    ])
      assert.equal(decide(values), 'built-in', JSON.stringify(values));
    const same = decide({ name: unclaimed.name, hosts: [], networks: [], expireAfterDays: 30 });
    assert.ok(typeof same !== 'string');
    assert.equal(same.service.expireAfterDays, 30);
  });

  it('may remove what a service of that slug declared before it was built in', () => {
    const older = { ...service, slug: 'unclaimed', hosts: ['a.example', 'b.example'] };
    const decide = (hosts: readonly string[]) => decideServiceChange(older, { hosts }, used);
    assert.notEqual(decide(['b.example']), 'built-in');
    assert.equal(decide(['b.example', 'c.example']), 'built-in');
  });
});
