import type { Analysis } from '../../domain/samples/analysis.ts';
import type { FileDigests } from '../../ports/analyser.ts';
import type { RuleSource } from '../rules/rule-source.ts';
import type { ImageHeader } from '../rules/yara/rules-image.ts';

/**
 * What the pool sends to a worker: `open` once, then samples one by one, their bytes after the
 * header.
 */
export type WorkerRequest =
  | {
      readonly kind: 'open';
      readonly rules: readonly RuleSource[];
      /** If the rules were compiled before; the memory of the image follows. */
      readonly image?: ImageHeader | undefined;
      readonly sizeBytes?: number | undefined;
    }
  | {
      readonly kind: 'analyse';
      readonly fileName: string;
      readonly digests?: FileDigests | undefined;
      readonly sizeBytes: number;
      /** The date of the analysis. */
      readonly at: string;
    };

/** What a worker returns. It is not trusted before `validateResponse`. */
export type WorkerResponse =
  | { readonly kind: 'ready'; readonly ruleProblems: readonly string[] }
  | { readonly kind: 'done'; readonly analysis: Analysis; readonly rssBytes: number }
  | { readonly kind: 'failed'; readonly message: string; readonly rssBytes: number };
