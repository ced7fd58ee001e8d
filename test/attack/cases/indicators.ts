import { indicatedBy, indicatedByAll, type Reader } from '../../indicated-by.ts';
import type { AttackCase } from '../case.ts';
import type { Target } from '../target.ts';

/** Reports by which a researcher wants the readers of a feed to block somebody else. */

const HASH = 'ab'.repeat(32);

function readerOf(target: Target): Reader {
  return {
    now: () => new Date(),
    async read(path, body) {
      const answer = await target.call('reader', path, {
        headers: path.startsWith('/taxii2') ? { accept: 'application/taxii+json;version=2.1' } : {},
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(`${path} answers ${answer.status}: ${text}`);
      return text;
    },
  };
}

const PROTECTED = [
  ['127.0.0.1', 80],
  ['0.0.0.0', 443],
  ['255.255.255.255', 1],
  ['169.254.169.254', 80],
  ['192.168.1.1', 443],
  ['::1', 80],
  ['::ffff:7f00:1', 80],
  ['64:ff9b::7f00:1', 80],
  ['com', 80],
  ['localhost', 80],
  ['co.uk', 443],
  ['github.io', 443],
  ['metadata.google.internal', 80],
] as const;

const protectedHosts: AttackCase = {
  name: 'reports of addresses and names that everybody needs',
  safe: 'They are stored, and are an indicator in no format.',
  async run(target) {
    const client = target.client('researcher');
    const unsafe: string[] = [];
    for (const [host, port] of PROTECTED) {
      const address = host.includes(':') ? `[${host}]` : host;
      await client.createReport('ply', { c2Address: `${address}:${port}`, file256Hash: HASH });
    }
    await client.createReport('ply', { c2Address: 'marked.example:1', file256Hash: HASH });
    const reader = readerOf(target);
    for (const [host, port] of PROTECTED) {
      const found = [
        ...(await indicatedBy(reader, 'ply', { host, port })),
        ...(await indicatedByAll(reader, { host, port })),
      ];
      if (found.length > 0) unsafe.push(`${host} is an indicator in ${found.join(', ')}`);
    }
    const known = await indicatedBy(reader, 'ply', { host: 'marked.example', port: 1 });
    if (known.length < 16) unsafe.push(`only ${known.length} formats were read`);
    return unsafe;
  },
};

const rejectedC2: AttackCase = {
  name: 'a report again of a C2 that the desk has rejected as a false positive',
  safe: 'It is no indicator of the feed in any format, and the reporter is told.',
  async run(target) {
    const [reporter, desk] = [target.client('researcher'), target.client('owner')];
    const c2 = { host: 'customer-of-ply.example', port: 4444 };
    const report = { c2Address: `${c2.host}:${c2.port}`, file256Hash: HASH };
    const reader = readerOf(target);
    const unsafe: string[] = [];
    const check = async (when: string) => {
      const found = [
        ...(await indicatedBy(reader, 'ply', c2)),
        ...(await indicatedByAll(reader, c2)),
      ];
      if (found.length > 0) unsafe.push(`${when}, it is an indicator in ${found.join(', ')}`);
    };
    const { id } = await reporter.createReport('ply', report);
    await reporter.createReport('ply', { ...report, tags: ['before'] });
    await desk.setStatus('ply', id, { status: 'rejected', reason: 'false_positive' });
    await check('after the rejection of one of two reports');
    for (const tag of ['again', 'and-again']) {
      const { c2Rejected } = await reporter.createReport('ply', { ...report, tags: [tag] });
      if (c2Rejected !== true) unsafe.push('the reporter is not told');
    }
    await check('reported again');
    await reporter.deleteReport('ply', id);
    await check('after the deletion of the rejected report');
    return unsafe;
  },
};

export const indicators: readonly AttackCase[] = [protectedHosts, rejectedC2];
