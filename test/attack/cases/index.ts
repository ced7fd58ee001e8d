import type { AttackCase } from '../case.ts';
import { access } from './access.ts';
import { accounts } from './accounts.ts';
import { cost } from './cost.ts';
import { exports } from './exports.ts';
import { fairness } from './fairness.ts';
import { framing } from './framing.ts';
import { indicators } from './indicators.ts';
import { input } from './input.ts';
import { intakes } from './intakes.ts';
import { lists } from './lists.ts';
import { memory } from './memory.ts';
import { mispFeeds } from './misp-feeds.ts';
import { permission } from './permission.ts';
import { samples } from './samples.ts';
import { sandbox } from './sandbox.ts';
import { searches } from './searches.ts';
import { sessions } from './sessions.ts';
import { submissions } from './submissions.ts';

/** Every case. A new one is an entry in one of these lists, or a list of its own here. */
export const cases: readonly AttackCase[] = [
  ...framing,
  ...access,
  ...input,
  ...intakes,
  ...permission,
  ...accounts,
  ...fairness,
  ...samples,
  ...sandbox,
  ...sessions,
  ...exports,
  ...submissions,
  ...indicators,
  ...memory,
  ...cost,
  ...lists,
  ...mispFeeds,
  ...searches,
];
