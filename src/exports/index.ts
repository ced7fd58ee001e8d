import type { Exporter } from './exporter.ts';
import { json } from './json.ts';
import { ndjson } from './ndjson.ts';

/** All formats of exports. */
export const EXPORTERS: readonly Exporter[] = [json, ndjson];
