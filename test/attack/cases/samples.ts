import { buildZip } from '../../analysis/zip-builder.ts';
import type { AttackCase } from '../case.ts';
import type { Target } from '../target.ts';

const MIB = 2 ** 20;
const BOMB_MIB = 600;

interface Analysed {
  readonly status: string;
  readonly tags: readonly string[];
}

async function analyse(target: Target, content: Buffer, fileName: string): Promise<Analysed> {
  const client = target.client('researcher');
  const blob = new Blob([new Uint8Array(content)]);
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const { status, sha256Hash } = await client.upload(blob, { fileName, wait: 30 });
    if (status === 'queued') continue;
    if (status === 'failed') return { status, tags: [] };
    const { report } = await client.lookUp(sha256Hash);
    return { status, tags: report.tags.map(({ name }) => name) };
  }
  return { status: 'queued', tags: [] };
}

/** Files that attack the analysis engine. */
export const samples: readonly AttackCase[] = [
  {
    name: `an archive that unpacks to ${BOMB_MIB} MiB`,
    safe: 'analyses it, with the tag LIMIT_EXCEEDED',
    isLoad: true,
    async run(target) {
      const content = Buffer.alloc(BOMB_MIB * MIB);
      const bomb = buildZip([{ name: 'zeros', content, deflate: true }]);
      const { status, tags } = await analyse(target, bomb, 'bomb.zip');
      return tags.includes('LIMIT_EXCEEDED')
        ? []
        : [`the sample is ${status}, with the tags ${tags.join(', ')}`];
    },
  },
  {
    name: 'archives nested thirty deep',
    safe: 'analyses it, with the tag LIMIT_EXCEEDED',
    async run(target) {
      let content: Buffer = Buffer.from('at the bottom');
      for (let depth = 0; depth < 30; depth += 1)
        content = buildZip([{ name: `${depth}.zip`, content }]);
      const { status, tags } = await analyse(target, content, 'deep.zip');
      return tags.includes('LIMIT_EXCEEDED')
        ? []
        : [`the sample is ${status}, with the tags ${tags.join(', ')}`];
    },
  },
  {
    name: 'an archive with path traversal in member names',
    safe: 'analyses it, and writes no file',
    async run(target) {
      const names = ['../../../../tmp/rapsheet-escaped', '/tmp/rapsheet-escaped', 'C:\\escaped'];
      const zip = buildZip(names.map((name) => ({ name, content: Buffer.from('escaped') })));
      const { status } = await analyse(target, zip, '../../escaped.zip');
      return status === 'done' ? [] : [`the sample is ${status}`];
    },
  },
  {
    name: 'a PE file whose header offset is past its end',
    safe: 'analyses it',
    async run(target) {
      const program = Buffer.alloc(512);
      program.write('MZ', 'latin1');
      program.writeUInt32LE(0xfffffff0, 0x3c);
      const { status } = await analyse(target, program, 'cut.exe');
      return status === 'done' ? [] : [`the sample is ${status}`];
    },
  },
];
