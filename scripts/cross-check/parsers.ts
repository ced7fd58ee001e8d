import { capeModule, capeSettings } from './cape.ts';
import { dissectSettings } from './dissect.ts';
import { ratKingReads, ratKingSettings } from './rat-king.ts';
import type { Answer, Settings } from './settings.ts';

/** A parser of others, which is called as a black box. */
export interface Parser {
  readonly name: string;
  /** The name in `requirements.txt`. */
  readonly package: string;
  /** The program that calls it. */
  readonly driver: string;
  /** What the driver is asked for; `undefined` if the parser does not read the family. */
  entryOf(family: string): string | undefined;
  /** `undefined` if there are no settings in the answer. */
  settingsOf(answer: Answer, family: string): Settings | undefined;
}

export const PARSERS: readonly Parser[] = [
  {
    name: 'CAPE-parsers',
    package: 'CAPE-parsers',
    driver: 'run_cape.py',
    entryOf: capeModule,
    settingsOf: capeSettings,
  },
  {
    name: 'rat_king_parser',
    package: 'rat-king-parser',
    driver: 'run_rat_king.py',
    entryOf: (family) => (ratKingReads(family) ? family : undefined),
    settingsOf: ratKingSettings,
  },
  {
    name: 'dissect.cobaltstrike',
    package: 'dissect.cobaltstrike',
    driver: 'run_dissect.py',
    entryOf: (family) => (family === 'Cobalt Strike' ? family : undefined),
    settingsOf: dissectSettings,
  },
];
