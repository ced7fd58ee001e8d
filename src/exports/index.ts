import type { Exporter } from './exporter.ts';

/** All formats of exports. */
export const EXPORTERS: readonly Exporter[] = [];
