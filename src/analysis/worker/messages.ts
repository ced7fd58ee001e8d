import type { Analysis } from '../../domain/samples/analysis.ts';
import type { FileDigests } from '../../ports/analyser.ts';
import type { RuleSource } from '../rules/rules.ts';

/** What the pool says to a worker: once how to begin, then a sample at a time, its bytes behind the header. */
export type Order =
  | { readonly kind: 'open'; readonly rules: readonly RuleSource[] }
  | {
      readonly kind: 'analyse';
      readonly fileName: string;
      readonly digests?: FileDigests | undefined;
      readonly sizeBytes: number;
      /** The date of the report. */
      readonly at: string;
    };

/** What a worker answers. Nothing of it is believed before it was checked. */
export type Answer =
  | { readonly kind: 'ready'; readonly ruleProblems: readonly string[] }
  | { readonly kind: 'done'; readonly analysis: Analysis; readonly rssBytes: number }
  | { readonly kind: 'failed'; readonly message: string; readonly rssBytes: number };
