import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { misp } from '../../../src/exports/misp/misp.ts';
import { outputsOf } from './outputs.ts';
import { run, temporaryFiles } from './tool.ts';

/** The interpreter with the packages, if it is not the usual one. */
const PYTHON = process.env['TEST_PYTHON'] ?? 'python3';
const SCRIPT = join(import.meta.dirname, 'misp-event.py');

interface WithAttributes {
  readonly Attribute: readonly unknown[];
}

const attributesIn = (objects: readonly WithAttributes[]) =>
  objects.reduce((sum, { Attribute: attributes }) => sum + attributes.length, 0);

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
    const expected = outputs.map(({ text }) => attributesIn(JSON.parse(text).Event.Object));
    assert.deepEqual(JSON.parse(output), expected);
  });

  const wrong = {
    'an attribute of an unknown type': ['"type":"sha256"', '"type":"sha257"'],
    'an attribute that its template does not have': [':"dst-port"', ':"dest-port"'],
    'another version of a template': ['"template_version":"25"', '"template_version":"24"'],
    'a reference to nothing': ['"referenced_uuid":"', '"referenced_uuid":"0'],
  } as const;
  for (const [title, [from, to]] of Object.entries(wrong))
    it(`refuses ${title}`, () => {
      const [{ text } = { text: '' }] = outputs.filter(({ name }) => name === 'one-report');
      assert.ok(text.includes(from));
      const name = file('wrong.json', text.replace(from, to));
      assert.notEqual(run(PYTHON, SCRIPT, name).status, 0);
    });
});
