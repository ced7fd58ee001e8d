import type { Exception } from './compare.ts';

export const EXCEPTIONS: readonly Exception[] = [];
