import type { Exporter } from './exporter.ts';
import { misp } from './misp/misp.ts';
import { threatfox } from './threatfox/threatfox.ts';

/** All formats of exports. */
export const EXPORTERS: readonly Exporter[] = [misp, threatfox];
