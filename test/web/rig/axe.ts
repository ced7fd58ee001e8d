import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** With the rules of WCAG 2.2, which are off by default. */
const RUN = `axe.run(document, { rules: { 'target-size': { enabled: true } } })`;

/** The violations on the page as it is, with the elements that have them. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(`globalThis.axe ?? (() => { ${AXE} })()`);
  const { violations } = (await page.evaluate(RUN)) as AxeResults;
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 300)} ${failureSummary}`),
  );
}
