import { z } from 'zod';
import { SECONDS_OF_DURATION } from '../openapi/text-formats.ts';
import { hex, list, utc } from './schemas.ts';

export const tag = z.strictObject({ heat: z.int().min(1).max(10), name: z.string() });

export const analysis = z
  .strictObject({
    date: utc,
    tags: list(tag),
    ssDeep: z.string(),
    configs: z.record(z.string(), z.record(z.string(), z.unknown())),
    mD5Hash: hex(32),
    fileName: z.string(),
    sha1Hash: hex(40),
    blake3Hash: hex(64),
    sha256Hash: hex(64),
    sha512Hash: hex(128),
    sizeInBytes: z.int().min(0),
    staticAnalysisDuration: z
      .string()
      .meta({ examples: ['00:00:00.0427370'], ...SECONDS_OF_DURATION }),
  })
  .meta({ id: 'AnalysisReport', description: 'What static analysis found in a file' });

export const sampleSubmitted = z
  .strictObject({
    blake3Hash: hex(64),
    sha256Hash: hex(64),
    status: z.enum(['queued', 'done', 'failed']),
  })
  .meta({ id: 'SubmittedSample', description: 'The file is accepted' });

export const sampleState = z
  .strictObject({
    status: z.enum(['queued', 'running', 'done', 'failed', 'unknown']),
    reason: z.string().optional().meta({ description: 'Why it failed' }),
  })
  .meta({ id: 'SampleState', description: 'The state of the analysis' });

export const foundSamples = z
  .strictObject({
    results: z.array(
      z.strictObject({
        hash: z.string().meta({ description: 'As it was sent' }),
        status: z
          .union([z.literal(200), z.literal(400), z.literal(404)])
          .meta({ description: 'The status that a single lookup would have' }),
        report: analysis.optional(),
      }),
    ),
    successful: z.literal(true),
  })
  .meta({ id: 'FoundSamples', description: 'A result for each hash, in order' });

export const similarSamples = z
  .strictObject({
    similar: list(
      z.strictObject({
        sha256Hash: hex(64),
        score: z.int().min(0).max(100).meta({
          description:
            'By ssdeep, 100 for equal digests; 0 if the files share nothing or a digest is missing',
        }),
        distance: z.int().min(0).optional().meta({
          description:
            'By TLSH, 0 for equal digests: lower is closer. Absent if a digest is missing.',
        }),
        fileName: z.string(),
        tags: list(tag),
      }),
    ),
    successful: z.literal(true),
  })
  .meta({ id: 'SimilarSamples', description: 'Similar files, best match first, at most 50' });

const inMember = z.string().optional().meta({
  description:
    'The path through containers to the member that holds it; absent for the file itself',
});

const details = z
  .strictObject({
    tlsh: z
      .string()
      .regex(/^T1[0-9A-F]{70}$/)
      .optional()
      .meta({
        description:
          'The TLSH digest. Absent for files of fewer than 50 bytes or with too little variance, and in analyses of ' +
          'versions that did not compute it.',
      }),
    evidence: z.array(
      z.strictObject({
        tag: z.string(),
        heat: z.int().min(1).max(10),
        source: z
          .string()
          .meta({ description: 'The parser, rule or extractor', examples: ['extractor:xworm'] }),
        offset: z.int().min(0).optional(),
        note: z.string().optional(),
        member: inMember,
      }),
    ),
    indicators: z
      .array(
        z.strictObject({
          kind: z.string().meta({ examples: ['url', 'address', 'discord-webhook'] }),
          value: z.string(),
          offset: z.int().min(0),
          member: inMember,
        }),
      )
      .meta({ description: 'Addresses of other systems in the bytes. They were not contacted.' }),
    facts: z
      .record(z.string(), z.record(z.string(), z.unknown()))
      .meta({ description: 'What the parsers read, by format: `pe`, `elf`, …' }),
    members: z
      .array(
        z.strictObject({
          path: z.string(),
          sizeBytes: z.int().min(0),
          sha256: hex(64),
          type: z.string(),
        }),
      )
      .meta({ description: 'The members of containers that were analysed as well' }),
    c2s: z
      .array(
        z.strictObject({
          host: z.string().meta({ examples: ['evil.example'] }),
          port: z.int().min(1).max(65_535),
          family: z.string().meta({ examples: ['XWORM'] }),
        }),
      )
      .optional()
      .meta({
        description:
          'The addresses in the settings of families, at most 1000; a search finds the file by them. Absent in ' +
          'analyses of versions that did not read settings.',
      }),
    hasMoreC2s: z
      .boolean()
      .optional()
      .meta({
        description:
          'Whether the settings have C2s besides `c2s`: on a page that holds the real address (a dead drop), without ' +
          'a port, or more than the limit. Absent if not.',
      }),
  })
  .meta({ id: 'AnalysisDetails', description: 'The evidence behind an analysis report' });

const detailsFound = z
  .strictObject({ details, successful: z.literal(true) })
  .meta({ id: 'FoundDetails', description: 'The evidence behind the report' });

const reportAndDetailsFound = z
  .strictObject({
    report: analysis,
    details: details.nullable().meta({ description: 'null for an imported report' }),
    successful: z.literal(true),
  })
  .meta({ id: 'FoundReportAndDetails', description: 'The report and the evidence behind it' });

export const detailsOrBothFound = z
  .union([detailsFound, reportAndDetailsFound])
  .meta({ description: 'The evidence behind the report; with `report=true` also the report' });

/** Binary: a JSON schema cannot describe the content. */
export const sampleZip = {
  description: 'A zip with one member, named by its SHA-256; the password is `infected`',
  content: {
    'application/zip': {
      schema: z
        .unknown()
        .meta({ type: 'string', format: 'binary', contentMediaType: 'application/zip' }),
    },
  },
};

export const imported = z
  .strictObject({
    added: z.int().min(0),
    replaced: z.int().min(0),
    unchanged: z.int().min(0),
    refused: z.int().min(0),
    refusals: z
      .array(z.strictObject({ line: z.int().min(1), error: z.string() }))
      .meta({ description: 'The first thousand refused lines' }),
    successful: z.literal(true),
  })
  .meta({ id: 'Imported', description: 'The number of lines by result' });
