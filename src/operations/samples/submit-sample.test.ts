import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DEFAULTS } from '../../../test/builders.ts';
import { alice, fakeDependencies } from '../../../test/fakes.ts';
import type { FileDigests } from '../../ports/analyser.ts';
import type { SubmitOutcome, Upload } from '../../ports/sample-store.ts';
import { submitSample } from './submit-sample.ts';

const DIGESTS: FileDigests = { md5: 'm', sha1: 's1', sha256: 's256', sha512: 's512', blake3: 'b3' };

async function* pieces(...all: readonly (string | Error)[]): AsyncGenerator<Uint8Array> {
  for (const piece of all) {
    if (piece instanceof Error) throw piece;
    yield Buffer.from(piece);
  }
}

/** Records the order of the calls. */
function world(outcome: SubmitOutcome['outcome'] = 'queued', broken?: string, storedBytes = 0) {
  const acts: string[] = [];
  const submitted: Upload[] = [];
  const record = async (what: string) => {
    acts.push(what);
    if (what === broken) throw new Error(`${what} failed`);
  };
  const deps = fakeDependencies(
    {
      samples: {
        storedBytes: async () => storedBytes,
        find: async () => undefined,
        async submit(sample) {
          await record('submit');
          submitted.push(sample);
          return { outcome, status: { state: outcome === 'removed' ? 'unknown' : 'queued' } };
        },
      },
    },
    {
      files: {
        async receive() {
          await record('receive');
          return {
            write: (piece) => record(`write ${Buffer.from(piece)}`),
            keep: (sha256) => record(`keep ${sha256}`),
            discard: () => record('discard'),
          };
        },
        remove: (sha256) => record(`remove ${sha256}`),
      },
      openDigester: async () => ({ update: () => undefined, digests: () => DIGESTS }),
    },
  );
  deps.analysisEvents.onSubmitted(() => acts.push('event'));
  return { deps, acts, submitted };
}

const upload = (...all: readonly (string | Error)[]) => ({
  fileName: 'dir/evil.exe',
  bytes: pieces(...all),
});

describe('submitting a sample', () => {
  it('stores the file before its row, and emits an event afterwards', async () => {
    const { deps, acts, submitted } = world();
    const { digests, status } = await submitSample(deps, alice, upload('ab', 'c'));
    assert.deepEqual(acts, ['receive', 'write ab', 'write c', 'keep s256', 'submit', 'event']);
    assert.deepEqual(submitted, [
      {
        digests: DIGESTS,
        sizeBytes: 3,
        fileName: 'evil.exe',
        uploadedBy: 'a1',
        tokenId: 't1',
        uploadedAt: new Date('2026-08-26T10:00:00Z'),
      },
    ]);
    assert.equal(digests, DIGESTS);
    assert.deepEqual(status, { state: 'queued' });
  });

  it('emits no event for a known sample', async () => {
    const { deps, acts } = world('known');
    await submitSample(deps, alice, upload('ab'));
    assert.equal(acts.at(-1), 'submit');
  });

  it('removes the file if an operator has removed the sample', async () => {
    const { deps, acts } = world('removed');
    await assert.rejects(submitSample(deps, alice, upload('ab')), { code: 'sample_removed' });
    assert.deepEqual(acts.slice(-2), ['submit', 'remove s256']);
  });

  it('stores no file that exceeds the limit of the account', async () => {
    const { storedBytes: limit } = DEFAULTS.accountLimits;
    const { deps, acts } = world('queued', undefined, limit - 1);
    await assert.rejects(submitSample(deps, alice, upload('ab')), {
      code: 'stored_bytes_exceeded',
      message: new RegExp(`stored ${limit - 1} of at most ${limit} bytes: a file of 2 bytes`),
    });
    assert.deepEqual(acts, ['receive', 'write ab', 'discard']);
  });

  it('refuses a file if concurrent uploads have used up the limit', async () => {
    const { deps, acts } = world('full');
    await assert.rejects(submitSample(deps, alice, upload('ab')), {
      code: 'stored_bytes_exceeded',
    });
    assert.equal(acts.at(-1), 'submit');
  });

  it('discards an upload that is aborted', async () => {
    const { deps, acts } = world();
    const broken = upload('ab', new Error('the client disconnected'));
    await assert.rejects(submitSample(deps, alice, broken), /disconnected/);
    assert.deepEqual(acts, ['receive', 'write ab', 'discard']);
  });

  for (const broken of ['write ab', 'keep s256']) {
    it(`discards the upload if it fails to ${broken}`, async () => {
      const { deps, acts } = world('queued', broken);
      await assert.rejects(submitSample(deps, alice, upload('ab')), /failed/);
      assert.equal(acts.at(-1), 'discard');
      assert.ok(!acts.includes('submit'));
    });
  }

  it('refuses an empty file', async () => {
    const { deps, acts } = world();
    await assert.rejects(submitSample(deps, alice, upload()), { code: 'empty_file' });
    assert.deepEqual(acts, ['receive', 'discard']);
  });

  it('takes a file of the largest size, and refuses a larger one at the byte that is too much', async () => {
    const { deps, submitted, acts } = world();
    await submitSample(deps, alice, upload('x'.repeat(999), 'x'));
    assert.equal(submitted[0]?.sizeBytes, 1000);
    acts.length = 0;
    const larger = upload('x'.repeat(1000), 'y', 'never taken');
    await assert.rejects(submitSample(deps, alice, larger), { code: 'body_too_large' });
    assert.deepEqual(acts, ['receive', `write ${'x'.repeat(1000)}`, 'discard']);
  });

  it('refuses a caller without the researcher role before it reads anything', async () => {
    const { deps, acts } = world();
    const reader = { ...alice, roles: [] };
    await assert.rejects(submitSample(deps, reader, upload('ab')), { code: 'role_missing' });
    assert.deepEqual(acts, []);
  });
});
