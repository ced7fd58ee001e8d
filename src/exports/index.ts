import type { Exporter } from './exporter.ts';
import { stix } from './stix/bundle.ts';

/** All formats of exports. */
export const EXPORTERS: readonly Exporter[] = [stix];
