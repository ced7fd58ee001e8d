import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { misp } from '../../../src/exports/misp/misp.ts';
import { outputsOf } from './outputs.ts';
import { run, temporaryFiles } from './tool.ts';

/** The interpreter with the packages, if it is not the usual one. */
const PYTHON = process.env['TEST_PYTHON'] ?? 'python3';
const SCRIPT = join(import.meta.dirname, 'misp-event.py');

/** PyMISP takes half a minute for the largest. */
const outputs = outputsOf(misp).filter(({ name }) => name !== 'mixed');
const file = temporaryFiles();

function whyNoPackage(): string | false {
  const { status } = run(PYTHON, '-c', 'import pymisp');
  return status === 0 ? false : 'the Python package pymisp is not installed';
}

describe('PyMISP', { skip: whyNoPackage() }, () => {
  it('loads the event of every case with all attributes', () => {
    const files = outputs.map(({ label, text }) => file(`${label}.json`, text));
    const { status, output } = run(PYTHON, SCRIPT, ...files);
    assert.equal(status, 0, output);
    const expected = outputs.map(({ text }) => JSON.parse(text).Event.Attribute.length);
    assert.deepEqual(JSON.parse(output), expected);
  });

  it('refuses an attribute of an unknown type', () => {
    const [{ text } = { text: '' }] = outputs.filter(({ name }) => name === 'one-report');
    const name = file('unknown.json', text.replace('"type":"sha256"', '"type":"sha257"'));
    assert.notEqual(run(PYTHON, SCRIPT, name).status, 0);
  });
});
