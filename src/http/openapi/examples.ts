import {
  EICAR,
  EXAMPLE_C2,
  EXAMPLE_IDS,
  EXAMPLE_SERVICE,
  FAILED_FILE,
  PURGED_FILE,
  UPLOADED_FILE,
} from './example-objects.ts';

/** What the reference page fills in for an operation; it succeeds on the demo store. */
export interface OperationExample {
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** Parameters that mean the same in every operation that requires them. */
export const PARAMETER_EXAMPLES: Readonly<Record<string, unknown>> = {
  service: EXAMPLE_SERVICE,
  slug: EXAMPLE_SERVICE,
  collection: EXAMPLE_SERVICE,
  hash: EICAR,
  format: 'ndjson',
  report: EXAMPLE_IDS.report,
};

const report = {
  c2Address: EXAMPLE_C2,
  file256Hash: EICAR,
  tags: ['asyncrat', 'rat'],
  referenceLink: 'https://research.example/asyncrat',
  confidenceScore: 80,
};

const xarf = {
  xarf_version: '4.2.0',
  report_id: '6f1c0e0a-5d3b-4c8e-9f57-2d1b7a3c4e5f',
  timestamp: '2026-11-16T10:00:00Z',
  reporter: { org: 'Research', contact: 'reports@research.example', domain: 'research.example' },
  sender: { org: 'Research', contact: 'reports@research.example', domain: 'research.example' },
  source_identifier: 'tunnel.ply.example',
  source_port: 4444,
  category: 'infrastructure',
  type: 'botnet',
  evidence_source: 'malware_analysis',
  hash: `sha256:${EICAR}`,
  malware_family: 'asyncrat',
  confidence: 0.8,
};

const mispEvent = {
  Event: {
    uuid: '5b0f3c1e-8a54-4f0e-9c0d-7e1a2b3c4d5e',
    info: 'AsyncRAT behind a tunnel',
    Tag: [{ name: 'rat' }],
    Attribute: [
      {
        uuid: '7d6c5b4a-3928-4716-8f5e-4d3c2b1a0f9e',
        type: 'hostname|port',
        category: 'Network activity',
        value: 'tunnel.ply.example|4444',
        to_ids: true,
      },
      {
        uuid: '1a2b3c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d',
        type: 'sha256',
        category: 'Payload delivery',
        value: EICAR,
        to_ids: true,
      },
    ],
  },
};

const stixEnvelope = {
  objects: [
    {
      type: 'indicator',
      spec_version: '2.1',
      id: 'indicator--2f6c1f4e-9a3d-4b7c-8e5f-1a2b3c4d5e6f',
      created: '2026-11-16T10:00:00.000Z',
      modified: '2026-11-16T10:00:00.000Z',
      valid_from: '2026-11-16T10:00:00.000Z',
      pattern_type: 'stix',
      pattern: `[network-traffic:dst_ref.value = 'tunnel.ply.example' AND network-traffic:dst_port = 4444] AND [file:hashes.'SHA-256' = '${EICAR}']`,
      labels: ['asyncrat'],
      confidence: 80,
    },
  ],
};

const analysis = {
  date: '2026-11-16T10:00:00Z',
  tags: [{ heat: 1, name: 'TEXT' }],
  ssDeep: '3:iKJF5/v:nFhv',
  configs: {},
  mD5Hash: '5d41402abc4b2a76b9719d911017c592',
  fileName: 'hello-again.txt',
  sha1Hash: 'aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d',
  blake3Hash: 'ea8f163db38682925e4491c5e58d4bb3506ef8c14eb78a86e908c5624a67200f',
  sha256Hash: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
  sha512Hash:
    '9b71d224bd62f3785d96d46ad3ea3d73319bfbc2890caadae2dff72519673ca72323c3d99ba5c11d7c7acc6e14b8c5da0c4663475c2e5c3adef46f73bcdec043',
  sizeInBytes: 5,
  staticAnalysisDuration: '00:00:00.0010000',
};

const webhook = { parameters: { id: EXAMPLE_IDS.webhook } };
const ofAccount = { parameters: { id: 'alice' } };
const ofReport = { parameters: { id: EXAMPLE_IDS.report } };
const ofUpload = { parameters: { hash: UPLOADED_FILE } };

/** By operation. An operation without required parameters and without a body needs none. */
export const EXAMPLES: Readonly<Record<string, OperationExample>> = {
  createReport: { body: report },
  deleteReport: { parameters: { report: EXAMPLE_IDS.deletedReport } },
  previewReport: { body: report },
  createFromXarf: { body: xarf },
  createFromMisp: { body: mispEvent },
  createReports: {
    body: `${JSON.stringify({ c2Address: 'dusk.ply.example:4444', file256Hash: EICAR })}\n${JSON.stringify(report)}\n`,
  },
  listReports: { parameters: { limit: 10 } },
  listAllReports: { parameters: { limit: 10 } },
  setStatus: {
    ...ofReport,
    body: { status: 'actioned', reason: 'taken_down', note: 'Thank you.' },
  },
  setStatuses: { body: { ids: [EXAMPLE_IDS.report], status: 'acknowledged' } },
  showReport: ofReport,
  reportHistory: ofReport,
  feedChanges: { parameters: { since: 0, limit: 10 } },
  allChanges: { parameters: { since: '0', limit: 10 } },
  feedStream: { parameters: { since: 'head' } },
  allStream: { parameters: { since: 'head' } },
  addWebhook: {
    body: { url: 'https://desk.ply.example/hooks/rapsheet', events: ['report.created'] },
  },
  showWebhook: webhook,
  deleteWebhook: { parameters: { id: EXAMPLE_IDS.deletedWebhook } },
  rotateWebhook: webhook,
  enableWebhook: webhook,
  testWebhook: webhook,
  listDeliveries: webhook,
  replayDelivery: {
    parameters: { id: EXAMPLE_IDS.webhook, delivery: EXAMPLE_IDS.delivery },
  },
  checkOwnership: { body: { pattern: '*.ply.example', method: 'dns' } },
  details: ofUpload,
  downloadSample: ofUpload,
  lookUpMany: { body: { hashes: [EICAR, UPLOADED_FILE] } },
  similar: ofUpload,
  similarToSsdeep: { parameters: { ssdeep: '3:a+JraNvsgzsVqSwHq9:tJuOgzsko' } },
  search: { parameters: { q: 'night[.]ply.example:4444' } },
  searchList: {
    body: { queries: ['night[.]ply.example:4444', EICAR.slice(0, 16), '192.0.2.0/24'] },
  },
  reportProposal: { body: { tags: ['asyncrat'] } },
  dismissProposal: { body: { reason: 'already_known', note: 'Reported by somebody else.' } },
  route: { parameters: { c2: EXAMPLE_C2 } },
  showAddress: { parameters: { c2: EXAMPLE_C2 } },
  showHost: { parameters: { host: 'tunnel.ply.example' } },
  showRelated: { parameters: { c2: EXAMPLE_C2 } },
  reporterStatistics: { parameters: { name: 'alice' } },
  issueToken: { body: { label: 'laptop' } },
  revokeToken: { parameters: { id: EXAMPLE_IDS.ownToken } },
  signIn: { body: {} },
  addService: {
    body: { slug: 'harbour', name: 'Harbour Tunnels', hosts: ['*.harbour.example'] },
  },
  changeService: { body: { expireAfterDays: 45 } },
  addAccount: {
    body: { name: 'erin', roles: ['researcher'], quota: { limit: 300, period: 'day' } },
  },
  showAccount: ofAccount,
  changeAccount: { ...ofAccount, body: { topUp: 100 } },
  showAccountUsage: ofAccount,
  listAccountTokens: ofAccount,
  issueAccountToken: { ...ofAccount, body: { label: 'new laptop' } },
  revokeAccountToken: { parameters: { id: EXAMPLE_IDS.accountToken } },
  analyseAgain: { parameters: { sha256: FAILED_FILE } },
  startReanalysis: { body: { before: '2026-11-16T10:00:00Z' } },
  endAccountSessions: ofAccount,
  createAccountLink: { ...ofAccount, body: { purpose: 'sign-in' } },
  changeWebhook: { ...webhook, body: { disabled: false } },
  taxiiAddObjects: { body: stixEnvelope },
  importSamples: { body: `${JSON.stringify(analysis)}\n` },
  purgeSample: { parameters: { sha256: PURGED_FILE, reason: 'Uploaded by mistake' } },
  purgeReport: { parameters: { id: EXAMPLE_IDS.purgedReport, reason: 'Names a person' } },
  queryIocs: { body: { query: 'get_iocs', days: 1 } },
};

/**
 * Parameters whose value another operation returns, because it differs in every store. They have no
 * example; the description says where the value comes from.
 */
export const RETURNED_BY: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  mispEvent: { file: 'mispManifest' },
  mispEventOfAll: { file: 'mispManifestOfAll' },
  reportProposal: { id: 'listProposals' },
  dismissProposal: { id: 'listProposals' },
  replayMail: { delivery: 'listMailDeliveries' },
  taxiiStatus: { status: 'taxiiAddObjects' },
  taxiiObject: { object: 'taxiiObjects' },
  taxiiDeleteObject: { object: 'taxiiObjects' },
  taxiiVersions: { object: 'taxiiObjects' },
};
