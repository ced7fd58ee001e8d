import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { TestInstallation } from '../installation.ts';
import { until } from '../until.ts';
import { SmallDisk, whyNoSmallDisk } from './faults/small-disk.ts';

const MOUNTED = { data: '.', samples: 'samples' } as const;

describe('/readyz on a full disk', { skip: whyNoSmallDisk() }, () => {
  for (const [name, folder] of Object.entries(MOUNTED))
    it(`answers 503 while the disk of the ${name} folder is full, and 200 afterwards`, async () => {
      const installation = new TestInstallation();
      const disk = new SmallDisk(join(installation.dataDir, folder), 64);
      try {
        const { url } = await installation.server();
        const ready = async () => {
          const answer = await fetch(`${url}/readyz`);
          return `${answer.status} ${answer.headers.get('x-error-code')}`;
        };
        assert.equal(await ready(), '200 null');
        disk.addBallast(disk.freeMib);
        await until(async () => (await ready()) === '503 disk_full', 'the server is not ready');
        assert.equal((await fetch(`${url}/livez`)).status, 200);
        disk.removeBallast();
        await until(async () => (await ready()) === '200 null', 'the server is ready again');
      } finally {
        // The unmount is lazy, because the server still uses the disk.
        disk.remove();
        await installation.close();
      }
    });
});
