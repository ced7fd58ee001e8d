import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { sampleSha256, tlshOf } from '../fill.ts';
import { importBody, spread } from '../requests.ts';
import type { Call, FlatServer } from './client.ts';
import { type CallContext, type FlatCase, json, NDJSON, ownRow } from './flat-case.ts';

const post = { method: 'POST' };
const BATCH = 100;
/** Has a block size that real files have, so that the index of fuzzy hashes is searched. */
const SSDEEP = '96:aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5zA7bC9dE1fG3hI5jK7lM9nO1pQ3:aB3dE5fG7hI9jK1';

const hashOf = ({ number, server }: CallContext) => sampleSha256(spread(number, server.count));

function uploadOf(content: string): Call {
  const boundary = 'bench-boundary';
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="note.txt"\r\n\r\n`;
  return {
    ...post,
    path: '/private/upload',
    type: `multipart/form-data; boundary=${boundary}`,
    body: `${head}${content}\r\n--${boundary}--\r\n`,
  };
}

const STORED = 'A file that every server stores.';

const STORED_HASH = createHash('sha256').update(STORED).digest('hex');
const POLL_MS = 100;
const POLLS = 600;

/** Uploads a file and waits for its analysis. The measured servers analyse nothing. */
export async function storeAnalysedFile(server: FlatServer): Promise<void> {
  await server.send(uploadOf(STORED));
  for (let poll = 0; poll < POLLS; poll += 1) {
    const { status } = await server.json({ path: `/private/sample/${STORED_HASH}/status` });
    if (status === 'done') return;
    await pause(POLL_MS);
  }
  throw new Error('the file was not analysed');
}

/** Ids of open proposals, of which every server has one for ten samples. */
async function openProposals(server: FlatServer, calls: number): Promise<readonly string[]> {
  const { proposals } = await server.json({ path: `/api/proposals?state=open&limit=${calls}` });
  return (proposals as readonly { readonly id: string }[]).map(({ id }) => id);
}

export const sampleReads: Readonly<Record<string, FlatCase>> = {
  lookUp: { call: (context) => ({ path: `/private/sample/${hashOf(context)}` }) },
  details: { call: () => ({ path: `/private/sample/${STORED_HASH}/details` }) },
  sampleStatus: { call: (context) => ({ path: `/private/sample/${hashOf(context)}/status` }) },
  lookUpMany: {
    call: ({ number, server }) => {
      const hashes = Array.from({ length: BATCH }, (_, at) =>
        sampleSha256(spread(number * BATCH + at, server.count)),
      );
      return { ...post, path: '/private/samples', ...json({ hashes }) };
    },
  },
  similar: { call: (context) => ({ path: `/private/similar/${hashOf(context)}` }) },
  similarToSsdeep: {
    call: () => ({ path: `/private/similar?ssdeep=${encodeURIComponent(SSDEEP)}` }),
  },
  listProposals: { call: () => ({ path: '/api/proposals?state=open&limit=20' }) },
  search: { call: () => ({ path: '/api/search?limit=20&q=seldom.ply.example' }) },
  searchList: {
    call: (context) => {
      const queries = ['seldom.ply.example', hashOf(context).slice(0, 16), '192.0.2.0/24'];
      return { ...post, path: '/api/search', ...json({ queries }) };
    },
  },
  downloadSample: {
    call: ({ server }) => ({
      path: `/private/sample/${STORED_HASH}/file`,
      token: server.adminToken,
    }),
  },
};

/** Forms of `similarToSsdeep` and of `similar`. Every tenth file has a TLSH. */
export const similarVariants: Readonly<Record<'toText' | 'toFile', Record<string, FlatCase>>> = {
  toText: {
    similarToTlsh: { call: ({ number }) => ({ path: `/private/similar?tlsh=${tlshOf(number)}` }) },
  },
  toFile: {
    similarByTlsh: {
      call: ({ number, server }) => {
        const file = 10 * Math.floor((spread(number, server.count) - 1) / 10) + 1;
        return { path: `/private/similar/${sampleSha256(file)}?by=tlsh` };
      },
    },
  },
};

export const sampleWrites: Readonly<Record<string, FlatCase>> = {
  upload: { calls: 60, call: ({ number }) => uploadOf(`the text of upload ${number}`) },
  reportProposal: {
    calls: 20,
    prepare: openProposals,
    call: ({ id }) => ({ ...post, path: `/api/proposals/${id}/report`, ...json({}) }),
  },
  dismissProposal: {
    calls: 20,
    prepare: openProposals,
    call: ({ id }) => ({
      ...post,
      path: `/api/proposals/${id}/dismiss`,
      ...json({ reason: 'other' }),
    }),
  },
  importSamples: {
    calls: 20,
    call: ({ number, server }) => ({
      ...post,
      path: '/admin/samples',
      type: NDJSON,
      body: importBody(number * BATCH, BATCH),
      token: server.adminToken,
    }),
  },
  purgeSample: {
    calls: 80,
    call: (context) => ({
      method: 'DELETE',
      path: `/admin/samples/${sampleSha256(ownRow(context, 4))}?reason=bench`,
      token: context.server.adminToken,
    }),
  },
};
