import { z } from 'zod';
import type { SettingSource } from '../../config/settings-in-force.ts';
import { ISOLATION_TIERS } from '../../domain/samples/isolation-tier.ts';
import type { ReanalysisState } from '../../domain/samples/reanalysis.ts';
import { hex, list, nextCursor, utc, utcOrNull } from './schemas.ts';

const SETTING_SOURCES = [
  'environment',
  'config file',
  'secret file',
  'default',
] as const satisfies readonly SettingSource[];

const REANALYSIS_STATES = [
  'running',
  'stopped',
  'finished',
] as const satisfies readonly ReanalysisState[];

/** What administrators see of the running service. */

const count = (description: string) =>
  z
    .int()
    .min(0)
    .meta({ description: `${description}; at most 10000 are counted` });

export const queueShown = z
  .strictObject({
    waiting: count('Samples that no worker has begun'),
    running: count('Samples whose analysis has begun, even if a further attempt is pending'),
    failed: count('Samples whose analysis failed'),
    oldestUploadedAt: utcOrNull.meta({
      description: 'When the oldest sample was uploaded that is waiting or running',
    }),
  })
  .meta({ id: 'AnalysisQueue', description: 'The queue of analyses, of all nodes' });

export const reanalysisShown = z
  .strictObject({
    state: z.enum(REANALYSIS_STATES).nullable().meta({
      description:
        'null if there was no run yet. `finished`: all files are queued; `waiting` counts those that are not analysed yet',
    }),
    before: utcOrNull.meta({
      description: 'The run analyses files whose last analysis ended before that',
    }),
    startedAt: utcOrNull,
    startedBy: z.string().nullable().meta({ description: 'The name of the account' }),
    endedAt: utcOrNull.meta({ description: 'When all files were queued, or the run was stopped' }),
    queued: z.int().min(0).meta({ description: 'The number of files that the run has queued' }),
    waiting: count('Files that are queued to be analysed again, also single ones'),
    remaining: count('Files that the run has not queued yet'),
  })
  .meta({ id: 'Reanalysis', description: 'The last run that analyses stored files again' });

const failedSample = z
  .strictObject({
    sha256Hash: hex(64),
    fileName: z.string(),
    sizeInBytes: z.int().min(0),
    uploadedBy: z.string().meta({ description: 'The name of the account' }),
    uploadedAt: utc,
    failedAt: utc,
    reason: z.string(),
    attempts: z
      .int()
      .min(1)
      .nullable()
      .meta({ description: 'How often it was tried; null if it is not recorded' }),
  })
  .meta({ id: 'FailedSample', description: 'A sample whose analysis failed' });

export const failedPage = z
  .strictObject({
    samples: list(failedSample),
    nextCursor,
    hasMore: z.boolean(),
  })
  .meta({ id: 'FailedSamples', description: 'Failed samples, newest failure first' });

export const isolationTier = z.enum(ISOLATION_TIERS).meta({
  description:
    'What confines a worker, strongest first: bubblewrap and a control group; bubblewrap; limits of the process; Node alone. SECURITY.md has a table',
});

const isolation = z.strictObject({
  level: z.enum(['complete', 'incomplete']),
  tier: isolationTier,
  means: list(z.string()).meta({
    description: 'The mechanisms in use, strongest first',
    examples: [['bubblewrap', 'permission model']],
  }),
  lacks: list(z.string()).meta({
    description: 'What is missing, and what installing it would add',
  }),
});

export const workersShown = z
  .strictObject({
    node: z.string().meta({
      description: 'The host name of the node that answers: all values are of this node alone',
    }),
    workers: z
      .strictObject({
        capacity: z.int().min(0).meta({ description: 'How many samples are analysed at once' }),
        running: z.int().min(0).meta({
          description: 'Processes that are idle, busy or starting; they start when they are needed',
        }),
        busy: z.int().min(0),
        restarts: z.int().min(0).meta({
          description:
            'Processes that ended or were replaced since the start: after a crash, a timeout, many samples or much memory',
        }),
        isolation,
        ruleProblems: list(z.string()).meta({ description: 'Why rules were skipped' }),
      })
      .nullable()
      .meta({ description: 'null if this node analyses no samples, or no worker has started yet' }),
  })
  .meta({ id: 'AnalysisWorkers', description: 'The analysis workers of this node' });

const setting = z
  .strictObject({
    name: z.string(),
    value: z.string().nullable().meta({
      description: 'null for a secret, and for a default that only `purpose` describes',
    }),
    isSet: z.boolean().meta({ description: 'Whether the operator set it' }),
    isSecret: z.boolean().meta({ description: 'Whether its value is not shown' }),
    source: z.enum(SETTING_SOURCES),
    purpose: z.string(),
  })
  .meta({ id: 'Setting', description: 'A setting as the node that answers uses it' });

export const settingsShown = z
  .strictObject({ settings: list(setting) })
  .meta({ id: 'Settings', description: 'All settings in force; secrets are not shown' });
