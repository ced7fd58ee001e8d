import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decideSubmission, type KnownFile } from './submission.ts';

const unknown: KnownFile = { isRemoved: false, upload: undefined, isAnalysed: false };
const done = { uploadedBy: 'alice', state: 'done' };

describe('an upload', () => {
  it('is stored and queued if its file is unknown', () => {
    assert.deepEqual(decideSubmission(unknown, 'alice'), { kind: 'new', state: 'queued' });
  });

  it('is stored and done if the analysis of its file was imported', () => {
    const file = { ...unknown, isAnalysed: true };
    assert.deepEqual(decideSubmission(file, 'alice'), { kind: 'new', state: 'done' });
  });

  it('of a removed file is not stored, whatever else is known', () => {
    const file = { isRemoved: true, upload: done, isAnalysed: true };
    assert.deepEqual(decideSubmission(file, 'bob'), { kind: 'removed' });
  });

  it('of a known file is recorded for another account, which gets the proposals', () => {
    const file = { ...unknown, upload: done, isAnalysed: true };
    const known = { kind: 'known', isProposed: true };
    assert.deepEqual(decideSubmission(file, 'bob'), { ...known, isFurther: true });
    assert.deepEqual(decideSubmission(file, 'alice'), { ...known, isFurther: false });
  });

  it('of a file whose analysis has not ended or failed proposes nothing', () => {
    const upload = { ...done, state: 'failed' };
    assert.deepEqual(decideSubmission({ ...unknown, upload, isAnalysed: true }, 'alice'), {
      kind: 'known',
      isFurther: false,
      isProposed: false,
    });
    assert.deepEqual(decideSubmission({ ...unknown, upload: done }, 'alice'), {
      kind: 'known',
      isFurther: false,
      isProposed: false,
    });
  });
});
