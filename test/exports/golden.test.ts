import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { EXPORTERS } from '../../src/exports/index.ts';
import { CASES, GOLDEN } from './cases.ts';
import { exportText, optionSets, variantOf } from './reports.ts';

/**
 * Every case in every format, compared with the reviewed `golden/<case>/<format>.<extension>`.
 * After adding a case or a format, run `UPDATE_GOLDEN=1 npm test -- exports/golden` and review.
 */
const isUpdate = process.env['UPDATE_GOLDEN'] === '1';

describe('the export of', () => {
  for (const { name, reports, context } of CASES) {
    for (const exporter of EXPORTERS) {
      for (const options of optionSets(exporter)) {
        const suffix = Object.entries(options).map(([key, value]) => `.${key}-${value}`);
        const file = `${exporter.format}${suffix.join('').replaceAll(':', '-')}`;
        it(`${name} as ${file}`, () => {
          const isArchive = exporter.archive?.(options) !== undefined;
          const extension = isArchive ? 'txt' : variantOf(exporter, options).extension;
          const path = `${GOLDEN}${name}/${file}.${extension}`;
          const found = exportText(exporter, reports, { ...context, options });
          if (isUpdate) {
            mkdirSync(`${GOLDEN}${name}`, { recursive: true });
            writeFileSync(path, found);
          }
          assert.ok(existsSync(path), `${path} is missing`);
          assert.equal(found, readFileSync(path, 'utf8'));
        });
      }
    }
  }
});
