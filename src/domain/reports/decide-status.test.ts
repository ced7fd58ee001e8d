import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type DeskReport, decideStatus, isReopened, type StatusFacts } from './decide-status.ts';
import type { StatusChange } from './desk.ts';

const reportedAt = new Date('2026-11-01T00:00:00Z');
const expiresAt = new Date('2026-11-11T00:00:00Z');
/** A quarter of an hour later is the first bucket, an hour later the third. */
const at = new Date('2026-11-01T01:00:00Z');
const answer = { at, bucket: 2 };
const earlier = { at: new Date('2026-11-01T00:15:00Z'), bucket: 0 };

const open: DeskReport = {
  status: 'open',
  statusReason: undefined,
  statusNote: undefined,
  reportedAt,
  expiresAt,
  routedTo: 'old',
  judgement: undefined,
  acted: undefined,
  acknowledged: undefined,
};

const facts: StatusFacts = {
  at,
  isSelf: false,
  route: 'new',
  expireAfterDays: 10,
  isCounted: true,
};

function change(status: StatusChange['status'], reason?: string, note?: string): StatusChange {
  return { status, reason, note };
}

interface Case {
  readonly title: string;
  readonly report?: Partial<DeskReport>;
  readonly change: StatusChange;
  readonly facts?: Partial<StatusFacts>;
  /** What is different after the change, besides status, reason and note. */
  readonly differs: Partial<DeskReport>;
  readonly isRepeat?: boolean;
}

const acted: Partial<DeskReport> = {
  status: 'actioned',
  judgement: 'right',
  acted: earlier,
  acknowledged: earlier,
};

const CASES: readonly Case[] = [
  {
    title: 'records the first answer of any kind',
    change: change('acknowledged'),
    differs: { acknowledged: answer },
  },
  {
    title: 'records the first final answer, which is also the first of any kind',
    change: change('actioned', 'taken_down', 'thank you'),
    differs: { acted: answer, acknowledged: answer, judgement: 'right' },
  },
  {
    title: 'judges the reporter by the reason of a rejection',
    change: change('rejected', 'false_positive'),
    differs: { acted: answer, acknowledged: answer, judgement: 'wrong' },
  },
  {
    title: 'takes the judgement back with a reason that says nothing about the report',
    report: { ...acted, status: 'rejected', statusReason: 'not_ours', judgement: 'wrong' },
    change: change('rejected', 'duplicate'),
    differs: { judgement: undefined },
    isRepeat: true,
  },
  {
    title: 'keeps the first answers when the desk answers again',
    report: acted,
    change: change('rejected', 'not_ours'),
    differs: { judgement: 'wrong' },
  },
  {
    title: 'does not take a later answer for the first if that is older than its record',
    report: { status: 'rejected' },
    change: change('actioned'),
    differs: { judgement: 'right' },
  },
  {
    title: 'adds a note without another answer',
    report: { status: 'acknowledged' },
    change: change('acknowledged', undefined, 'still looking'),
    differs: {},
    isRepeat: true,
  },
  {
    title: 'gives a reopened report the current route and a full period',
    report: acted,
    change: change('open'),
    differs: {
      routedTo: 'new',
      expiresAt: new Date('2026-11-11T01:00:00Z'),
      judgement: undefined,
    },
  },
  {
    title: 'removes the route of a reopened report for whose host no service answers',
    report: { status: 'expired' },
    change: change('acknowledged'),
    facts: { route: undefined },
    differs: {
      routedTo: undefined,
      expiresAt: new Date('2026-11-11T01:00:00Z'),
      acknowledged: answer,
    },
  },
  {
    title: 'neither judges nor counts in a feed that the reporter owns',
    report: { judgement: 'wrong' },
    change: change('actioned'),
    facts: { isSelf: true },
    differs: {},
  },
  {
    title: 'leaves the answers of a report that is not counted yet',
    change: change('actioned'),
    facts: { isCounted: false },
    differs: { judgement: 'right' },
  },
];

describe('a change of the status', () => {
  for (const one of CASES)
    it(one.title, () => {
      const report = { ...open, ...one.report };
      const { status, reason: statusReason, note: statusNote } = one.change;
      assert.deepEqual(decideStatus(report, one.change, { ...facts, ...one.facts }), {
        after: { ...report, status, statusReason, statusNote, ...one.differs },
        isRepeat: one.isRepeat ?? false,
      });
    });

  it('changes nothing if status, reason and note are those of the report', () => {
    const report = { ...open, ...acted, statusReason: 'blocked', statusNote: 'done' };
    assert.equal(decideStatus(report, change('actioned', 'blocked', 'done'), facts), undefined);
    assert.notEqual(decideStatus(report, change('actioned', 'blocked'), facts), undefined);
    assert.notEqual(decideStatus(report, change('actioned', undefined, 'done'), facts), undefined);
  });

  it('reopens a report whose status was final', () => {
    assert.equal(isReopened('expired', 'open'), true);
    assert.equal(isReopened('rejected', 'acknowledged'), true);
    assert.equal(isReopened('open', 'acknowledged'), false);
    assert.equal(isReopened('actioned', 'rejected'), false);
  });
});
