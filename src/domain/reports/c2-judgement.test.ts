import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { allowListOf } from '../lists/allow-list.ts';
import { c2IndicationOf } from './c2-indication.ts';
import { changeRejection, followsJudgement, type JudgedStatus, judgeC2 } from './c2-judgement.ts';
import { IndicatorHosts } from './indicator-hosts.ts';

const OPEN: JudgedStatus = { status: 'open', statusReason: undefined };
const FALSE: JudgedStatus = { status: 'rejected', statusReason: 'false_positive' };
const DUPLICATE: JudgedStatus = { status: 'rejected', statusReason: 'duplicate' };
const EXPIRED: JudgedStatus = { status: 'expired', statusReason: null };

describe('the judgement of a desk about a C2', () => {
  it('is a rejection from the first false positive on', () => {
    assert.equal(judgeC2(0, OPEN, FALSE), 1);
    assert.equal(judgeC2(1, OPEN, FALSE), 2);
  });

  it('is given again with another note on the same report', () => {
    assert.equal(judgeC2(1, FALSE, FALSE), 1);
    assert.equal(judgeC2(0, FALSE, FALSE), 1);
  });

  it('is taken back by any status that believes the C2', () => {
    for (const status of ['open', 'acknowledged', 'actioned'] as const)
      for (const before of [FALSE, OPEN, DUPLICATE])
        assert.equal(judgeC2(3, before, { status, statusReason: undefined }), 0);
  });

  it('is not changed by a duplicate, and taken back with the reason of its last report', () => {
    assert.equal(judgeC2(1, OPEN, DUPLICATE), 1);
    assert.equal(judgeC2(2, FALSE, DUPLICATE), 1);
    assert.equal(judgeC2(1, FALSE, DUPLICATE), 0);
    assert.equal(judgeC2(0, FALSE, DUPLICATE), 0);
  });

  it('concerns the reports that have indicators by themselves', () => {
    assert.deepEqual([OPEN, DUPLICATE, FALSE, EXPIRED].map(followsJudgement), [
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('the indication of a C2', () => {
  const hosts = new IndicatorHosts({ lists: allowListOf([]), baseUrl: '' });
  const of = (host: string, createdSequence: number, rejectionSequence?: number) =>
    c2IndicationOf({ c2: { host, port: 80 }, createdSequence, rejectionSequence }, hosts);

  it('is valid unless the host is protected or the C2 rejected', () => {
    assert.equal(of('evil.example', 5), 'valid');
    assert.equal(of('127.0.0.1', 5), 'absent');
    assert.equal(of('127.0.0.1', 5, 6), 'absent');
  });

  it('ends if the report is older than the rejection, and is absent otherwise', () => {
    assert.equal(of('evil.example', 5, 6), 'ended');
    assert.equal(of('evil.example', 6, 6), 'absent');
    assert.equal(of('evil.example', 7, 6), 'absent');
  });
});

describe('the rejection of a C2', () => {
  const change = (before: JudgedStatus, after: JudgedStatus, sequence: number) => ({
    before,
    after,
    sequence,
  });

  it('begins with its first false positive', () => {
    const changes = [change(OPEN, DUPLICATE, 4), change(OPEN, FALSE, 5), change(OPEN, FALSE, 6)];
    const begun = { reports: 2, sequence: 5, isTurned: true };
    assert.deepEqual(changeRejection(undefined, changes), begun);
    assert.deepEqual(changeRejection({ reports: 0, sequence: 1 }, changes), begun);
  });

  it('goes on with another one', () => {
    assert.deepEqual(changeRejection({ reports: 1, sequence: 5 }, [change(OPEN, FALSE, 7)]), {
      reports: 2,
      sequence: 5,
      isTurned: false,
    });
  });

  it('ends if it is taken back', () => {
    assert.deepEqual(changeRejection({ reports: 2, sequence: 5 }, [change(FALSE, OPEN, 8)]), {
      reports: 0,
      sequence: 5,
      isTurned: true,
    });
  });

  it('stays if nothing is said about the C2', () => {
    assert.equal(changeRejection(undefined, [change(OPEN, DUPLICATE, 4)]), undefined);
    assert.equal(changeRejection({ reports: 1, sequence: 5 }, []), undefined);
  });
});
