import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const contact = {
  type: 'object',
  required: ['org', 'contact', 'domain'],
  properties: {
    org: { type: 'string', minLength: 1, maxLength: 200 },
    contact: { type: 'string', format: 'email' },
    domain: { type: 'string', format: 'hostname' },
  },
  additionalProperties: false,
};

const evidence = {
  type: 'object',
  required: ['content_type', 'payload', 'description', 'hash'],
  properties: {
    content_type: { type: 'string', pattern: '^[a-z]+/[a-z0-9.+-]+$' },
    description: { type: 'string', maxLength: 500 },
    payload: { type: 'string', pattern: '^[A-Za-z0-9+/]*={0,2}$' },
    hash: { type: 'string', pattern: '^(md5|sha1|sha256|sha512):[a-fA-F0-9]+$' },
    size: { type: 'integer', minimum: 0, maximum: 5_242_880 },
  },
  additionalProperties: false,
};

/**
 * What XARF 4.2 requires of a botnet report, and the limits of its members. Stricter than its
 * schema: no members but those that are written here.
 */
const botnet = {
  type: 'object',
  required: [
    'xarf_version',
    'report_id',
    'timestamp',
    'reporter',
    'sender',
    'source_identifier',
    'source_port',
    'category',
    'type',
    'compromise_evidence',
    // Recommended members, which readers in strict mode require.
    'evidence_source',
    'evidence',
    'confidence',
    'malware_family',
    'c2_server',
    'c2_protocol',
    'bot_capabilities',
  ],
  properties: {
    xarf_version: { const: '4.2.0' },
    report_id: {
      type: 'string',
      pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$',
    },
    timestamp: { type: 'string', format: 'date-time' },
    reporter: contact,
    sender: contact,
    source_identifier: { type: 'string', pattern: '^[0-9a-z._:-]{1,253}$' },
    source_port: { type: 'integer', minimum: 1, maximum: 65_535 },
    category: { const: 'infrastructure' },
    type: { const: 'botnet' },
    evidence_source: { const: 'researcher_analysis' },
    evidence: { type: 'array', maxItems: 50, items: evidence },
    confidence: { type: 'number', minimum: 0, maximum: 1 },
    description: { type: 'string', minLength: 1, maxLength: 1000 },
    tags: {
      type: 'array',
      maxItems: 20,
      uniqueItems: true,
      items: { type: 'string', pattern: '^[a-z0-9][a-z0-9_+-]*:[a-z0-9][a-z0-9_+-]*$' },
    },
    malware_family: { type: 'string', minLength: 1, maxLength: 200 },
    c2_server: { type: 'string', minLength: 1 },
    c2_protocol: { enum: ['http', 'https', 'tcp', 'udp', 'dns', 'irc', 'p2p', 'custom'] },
    compromise_evidence: { type: 'string', minLength: 1 },
    bot_capabilities: {
      type: 'array',
      uniqueItems: true,
      items: {
        enum: [
          'ddos',
          'spam',
          'proxy',
          'keylogger',
          'file_download',
          'remote_shell',
          'cryptocurrency_mining',
          'data_theft',
        ],
      },
    },
  },
  additionalProperties: false,
};

const ajv = new Ajv2020({ allErrors: true, strict: true, strictRequired: false });
addFormats.default(ajv);
const validate = ajv.compile(botnet);

/** The problems of an XARF object; empty if it is valid. */
export function xarfProblems(object: unknown): readonly string[] {
  validate(object);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
