import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Route } from '../services/route.ts';
import {
  type Findings,
  type KnownProposal,
  MAX_PROPOSALS,
  type ProposedReport,
  proposalChanges,
  proposedConfidence,
  proposedReports,
} from './proposal.ts';

const route = (service: string) => ({ service, pattern: '*' }) as Route;

function propose(findings: Partial<Findings>, hosts: readonly string[] = ['a.example']) {
  const routes = new Map(hosts.map((host) => [host, route('ply')]));
  return proposedReports({ c2s: [], tags: [], family: undefined, ...findings }, routes);
}

const c2 = (host: string, family?: string, port = 1) => ({ host, port, family });

describe('the reports that an analysis proposes', () => {
  it('have a confidence of 90 % of the scale', () => {
    assert.deepEqual([100, 10, 5, 1].map(proposedConfidence), [90, 9, 5, 1]);
  });

  it('are those of C2s for the service that answers, each once', () => {
    const c2s = [c2('a.example', 'X'), c2('a.example', 'Y'), c2('a.example', 'X', 2)];
    assert.deepEqual(propose({ c2s }), [
      { service: 'ply', c2: { host: 'a.example', port: 1 }, family: 'X', tags: ['x'] },
      { service: 'ply', c2: { host: 'a.example', port: 2 }, family: 'X', tags: ['x'] },
    ]);
  });

  it('are for the feed of unclaimed ones if no service answers', () => {
    const c2s = [c2('b.example', 'X'), c2('a.example', 'X'), c2('8.8.8.8', 'X')];
    const found = propose({ c2s }).map(({ service, c2: { host } }) => [service, host]);
    assert.deepEqual(found, [
      ['ply', 'a.example'],
      ['unclaimed', 'b.example'],
      ['unclaimed', '8.8.8.8'],
    ]);
  });

  it('are not of hosts that nobody can answer for, unless a service does', () => {
    const hosts = ['10.0.0.1', '127.0.0.1', 'localhost', 'nas.local', 'co.uk', '::1'];
    assert.deepEqual(propose({ c2s: hosts.map((host) => c2(host)) }), []);
    const [declared] = propose({ c2s: hosts.map((host) => c2(host)) }, ['10.0.0.1']);
    assert.equal(declared?.c2.host, '10.0.0.1');
  });

  it('leave room for those of services if there are many', () => {
    const others = Array.from({ length: 50 }, (_, port) => c2('b.example', 'X', port + 1));
    const found = propose({ c2s: [...others, c2('a.example')] });
    assert.equal(found.length, MAX_PROPOSALS);
    assert.equal(found[0]?.service, 'ply');
  });

  it('are the first ones if there are many', () => {
    const c2s = Array.from({ length: 50 }, (_, port) => c2('a.example', 'X', port + 1));
    const found = propose({ c2s });
    assert.equal(found.length, MAX_PROPOSALS);
    assert.equal(found.at(-1)?.c2.port, MAX_PROPOSALS);
  });

  it('name the family of the file if the settings have no owner', () => {
    for (const own of [undefined, 'GENERIC'])
      assert.equal(
        propose({ c2s: [c2('a.example', own)], family: 'LANTERN' })[0]?.family,
        'LANTERN',
      );
  });

  it('have the family and the hottest valid tags in lower case', () => {
    const tags = [
      { heat: 3, name: 'PE32' },
      { heat: 4, name: 'PACKED' },
      { heat: 10, name: 'Lantern' },
      { heat: 8, name: 'RAT' },
      { heat: 8, name: 'Rat' },
      { heat: 9, name: 'in\u202evisible' },
      ...[7, 6, 5].map((heat) => ({ heat, name: `T${heat}` })),
    ];
    const c2s = [c2('a.example', 'LANTERN')];
    assert.deepEqual(propose({ c2s, tags })[0]?.tags, ['lantern', 'rat', 't7', 't6', 't5']);
    assert.deepEqual(propose({ c2s: [c2('a.example', ' ')] })[0]?.tags, []);
  });
});

describe('the proposals of an account after another analysis', () => {
  const report = (host: string, service = 'ply'): ProposedReport => ({
    service,
    c2: { host, port: 1 },
    family: undefined,
    tags: [],
  });
  const known = (host: string, state: KnownProposal['state'] = 'open'): KnownProposal => ({
    id: `id of ${host}`,
    service: 'ply',
    c2: { host, port: 1 },
    state,
  });

  it('are added, updated or withdrawn; decided ones stay', () => {
    const before = [known('a'), known('b'), known('c', 'reported'), known('d', 'dismissed')];
    const changes = proposalChanges(before, [report('a'), report('c'), report('e')]);
    assert.deepEqual(changes, {
      added: [report('e')],
      updated: [{ id: 'id of a', report: report('a') }],
      withdrawn: [known('b')],
    });
  });

  it('move to the service that answers now', () => {
    const { added, withdrawn } = proposalChanges([known('a')], [report('a', 'other')]);
    assert.deepEqual([added, withdrawn], [[report('a', 'other')], [known('a')]]);
  });

  it('are never more than allowed', () => {
    const decided = Array.from({ length: 31 }, (_, index) => known(`h${index}`, 'dismissed'));
    const wanted = [report('x'), report('y')];
    assert.equal(proposalChanges([...decided, known('z')], wanted).added.length, 1);
    const full = [...decided, known('z', 'reported')];
    assert.equal(proposalChanges(full, wanted).added.length, 0);
  });
});
