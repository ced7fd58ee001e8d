import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { sigma } from '../../../src/exports/sigma.ts';
import { CASES } from '../cases.ts';
import { outputsOf } from './outputs.ts';
import { run, temporaryFiles } from './tool.ts';

/** The interpreter with the packages, if it is not the usual one. */
const PYTHON = process.env['TEST_PYTHON'] ?? 'python3';
const SCRIPT = join(import.meta.dirname, 'sigma-rules.py');

const outputs = outputsOf(sigma, CASES);
const file = temporaryFiles();

function whyNoPackage(): string | false {
  const { status } = run(PYTHON, '-c', 'import sigma.collection');
  return status === 0 ? false : 'the Python package pysigma is not installed';
}

/** `category field value`, in the order of the rules. */
function valuesIn(text: string): readonly string[] {
  return text.split(/^---\n/m).flatMap((rule) => {
    const category = / {4}category: (\S+)/.exec(rule)?.[1];
    const fields = rule.matchAll(/^ {8}([A-Za-z_]+)(?:\|[a-z]+)?: '?([^'\n]+)'?$/gm);
    return [...fields].map(([, field, value]) => `${category} ${field} ${value}`);
  });
}

describe('pySigma', { skip: whyNoPackage() }, () => {
  it('reads the rules that were written, without an error', () => {
    for (const { label, text } of outputs) {
      const { status, output } = run(PYTHON, SCRIPT, file(`${label}.yml`, text));
      const count = text.match(/^---$/gm)?.length ?? 0;
      const values = valuesIn(text).map((value) =>
        value.replace('Hashes SHA256=', 'Hashes *SHA256='),
      );
      const expected = values.map((value) => (value.includes(' Hashes ') ? `${value}*` : value));
      assert.equal(status, 0, output);
      assert.equal(output, [`${count} rules, ${count} ids`, ...expected, ''].join('\n'), label);
    }
  });
});

const TEXT = "'[A-Za-z0-9 ._:/()=~-]*'";
const LINES = [
  '# [\\x20-\\x7e]+|---',
  `(?:title|description|author): ${TEXT}`,
  'id: [0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}',
  'status: experimental|references:|tags:|logsource:|detection:|level: (?:low|medium|high)',
  ` {4}- (?:${TEXT}|attack\\.command-and-control)`,
  '(?:date|modified): \\d{4}-\\d{2}-\\d{2}',
  ' {4}(?:category: (?:dns_query|network_connection|dns|firewall|process_creation)|selection:|condition: selection)',
  ` {8}(?:QueryName|query|DestinationIp|dst_ip|Hashes\\|contains): ${TEXT}`,
  ' {8}(?:DestinationPort|dst_port): \\d{1,5}',
];

describe('the rules of Sigma', () => {
  it('have only lines of their form, whatever the reports contain', () => {
    const line = new RegExp(`^(?:${LINES.join('|')})$`);
    for (const { label, text } of outputs)
      for (const one of text.slice(0, -1).split('\n')) assert.match(one, line, label);
  });

  it('have an id of their own', () => {
    for (const { label, text } of outputs) {
      const ids = text.match(/^id: .*$/gm) ?? [];
      assert.equal(new Set(ids).size, ids.length, label);
    }
  });
});
