import type { Exporter } from './exporter.ts';
import { xarf } from './xarf/xarf.ts';

/** All formats of exports. */
export const EXPORTERS: readonly Exporter[] = [xarf];
