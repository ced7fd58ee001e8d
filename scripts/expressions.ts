import { writeChecked } from '../test/expressions/checked.ts';
import { EXCEPTIONS } from '../test/expressions/exceptions.ts';
import { findExpressions } from '../test/expressions/find.ts';
import { superlinearGrowth } from '../test/expressions/growth.ts';

/**
 * Measures every regular expression of the sources and the rules, including those checked before,
 * and fails if one takes more than linear time. With `--write` it records the checked ones for `npm
 * test`.
 */
const { expressions: all } = findExpressions();
const expressions = all.filter(({ source, flags }) => !(`/${source}/${flags}` in EXCEPTIONS));
const started = performance.now();
let slow = 0;
for (const expression of expressions) {
  const growth = await superlinearGrowth(expression);
  if (growth === undefined) continue;
  slow += 1;
  console.log(`${expression.location}: /${expression.source}/${expression.flags}: ${growth}`);
}
const seconds = ((performance.now() - started) / 1000).toFixed(1);
console.log(`${expressions.length} expressions checked in ${seconds} s, ${slow} not linear`);
if (slow > 0) process.exitCode = 1;
else if (process.argv.includes('--write')) writeChecked(expressions);
