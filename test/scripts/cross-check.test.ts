import assert from 'node:assert/strict';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { capeSettings } from '../../scripts/cross-check/cape.ts';
import {
  type Comparison,
  checkExceptions,
  compareSettings,
} from '../../scripts/cross-check/compare.ts';
import { dissectSettings } from '../../scripts/cross-check/dissect.ts';
import { EXCEPTIONS } from '../../scripts/cross-check/exceptions.ts';
import { familyNames, familyOf, isKnownTag } from '../../scripts/cross-check/families.ts';
import { crossCheckPage } from '../../scripts/cross-check/page.ts';
import { PARSERS } from '../../scripts/cross-check/parsers.ts';
import { ratKingSettings } from '../../scripts/cross-check/rat-king.ts';
import { runParser } from '../../scripts/cross-check/run-parser.ts';
import { addressOf, ownSettings } from '../../scripts/cross-check/settings.ts';
import { extractors } from '../../src/analysis/extractors/index.ts';
import { tagName } from '../../src/analysis/tags.ts';
import type { Analysis } from '../../src/domain/samples/analysis.ts';

const FIXTURES = fileURLToPath(new URL('../fixtures/analysis/families/', import.meta.url));

function comparison(change: Partial<Comparison> = {}): Comparison {
  return {
    parser: 'CAPE-parsers',
    family: 'Remcos',
    fixture: 'remcos-plain.exe',
    agreed: [],
    differences: [],
    ...change,
  };
}

describe('a comparison of settings', () => {
  it('agrees on equal values in any order', () => {
    const own = { C2s: ['a.example.invalid:1', 'b.example.invalid:2'], Mutex: ['m'] };
    const theirs = { C2s: ['b.example.invalid:2', 'a.example.invalid:1'], Mutex: ['m'] };
    assert.deepEqual(compareSettings(own, theirs), { agreed: ['C2s', 'Mutex'], differences: [] });
  });

  it('names missing, additional and different values, of the settings that the parser knows', () => {
    const own = { C2s: ['a:1', 'b:2'], Version: ['1'], Sleep: ['3'] };
    const theirs = { C2s: ['a:1'], Version: [], Mutex: ['m'], Campaign: [] };
    const { agreed, differences } = compareSettings(own, theirs);
    assert.deepEqual(agreed, []);
    assert.deepEqual(
      differences.map(({ kind, field }) => `${field}: ${kind}`),
      ['C2s: different', 'Version: missing', 'Mutex: extra'],
    );
  });

  it('is about the whole file if one side reads nothing', () => {
    const kindsOf = (...pair: Parameters<typeof compareSettings>) =>
      compareSettings(...pair).differences.map(({ kind, field }) => [kind, field]);
    assert.deepEqual(kindsOf({ Mutex: ['m'] }, undefined), [['unread', undefined]]);
    assert.deepEqual(kindsOf({ Mutex: ['m'] }, { C2s: [] }), [['unread', undefined]]);
    assert.deepEqual(kindsOf({ C2s: [] }, { Mutex: ['m'] }), [['refused', undefined]]);
    assert.deepEqual(kindsOf({ C2s: [] }, undefined), []);
  });
});

describe('exceptions of the comparison', () => {
  const different = comparison({
    differences: [{ kind: 'different', field: 'C2s', own: ['a:1'], theirs: ['b:1'] }],
  });
  const exception = {
    parser: 'CAPE-parsers',
    fixtures: ['remcos-plain.exe'],
    kind: 'different',
    fields: ['C2s'],
    reason: 'a reason',
  } as const;

  it('explain one kind of difference in one setting of a fixture', () => {
    assert.deepEqual(checkExceptions([different], [exception]), { unexplained: [], stale: [] });
    for (const change of [
      { kind: 'missing' },
      { fields: ['Mutex'] },
      { fixtures: ['other'] },
    ] as const) {
      const { unexplained } = checkExceptions([different], [{ ...exception, ...change }]);
      assert.deepEqual(unexplained, [different]);
    }
  });

  it('are stale if the difference does not occur, unless the parser was not run', () => {
    const { stale } = checkExceptions([comparison()], [exception]);
    assert.deepEqual(stale, ['CAPE-parsers, remcos-plain.exe, C2s: different']);
    const other = { ...exception, parser: 'rat_king_parser' };
    assert.deepEqual(checkExceptions([comparison()], [other]).stale, []);
  });

  it('name parsers and fixtures that exist, and a reason', () => {
    const names = new Set(PARSERS.map(({ name }) => name));
    for (const { parser, fixtures, reason } of EXCEPTIONS) {
      assert.ok(names.has(parser), parser);
      assert.notEqual(reason, '');
      for (const fixture of fixtures) {
        assert.equal(globSync(`${fixture}.in.gz.b64`, { cwd: FIXTURES }).length, 1, fixture);
      }
    }
  });
});

describe('families of the comparison', () => {
  it('are those of the engine, and the longest prefix decides', () => {
    const tags = new Set(extractors.flatMap(({ pages }) => Object.keys(pages).map(tagName)));
    for (const file of globSync('*.in.gz.b64', { cwd: FIXTURES })) {
      const family = familyOf(file);
      assert.ok(family === undefined || tags.has(family.tag), file);
    }
    assert.equal(familyOf('asyncrat-dcrat-damaged.exe')?.name, 'DcRat');
    assert.equal(familyOf('asyncrat-plain.exe')?.name, 'AsyncRAT');
    assert.equal(familyOf('mirai-plain.elf'), undefined);
    assert.equal(isKnownTag('MIRAI'), false);
  });

  it('are read by at least one parser', () => {
    for (const name of familyNames())
      assert.ok(
        PARSERS.some((parser) => parser.entryOf(name) !== undefined),
        name,
      );
  });
});

describe('settings in one form', () => {
  it('of the engine have the addresses that it publishes', () => {
    const analysis = {
      report: { configs: { AMADEY: { C2s: 'http://a.example.invalid/x.php', Version: '4.41' } } },
      details: {
        c2s: [
          { host: 'a.example.invalid', port: 80, family: 'AMADEY' },
          { host: 'b.example.invalid', port: 80, family: 'OTHER' },
        ],
      },
    } as unknown as Analysis;
    assert.deepEqual(ownSettings(analysis, 'AMADEY'), {
      C2s: ['a.example.invalid:80'],
      URLs: ['http://a.example.invalid/x.php'],
      Version: ['4.41'],
    });
  });

  it('of addresses are host and port', () => {
    assert.equal(addressOf('tcp://a.example.invalid:5552'), 'a.example.invalid:5552');
    assert.equal(addressOf('https://A.example.invalid/page'), 'a.example.invalid:443');
    assert.equal(addressOf('[2001:DB8::1]:80'), '[2001:db8::1]:80');
    assert.equal(addressOf('no address'), 'no address');
  });

  it('of CAPE-parsers leave out the account of a mailbox and absent values', () => {
    const mail = { CNCs: ['smtp://a@b.invalid:pass@smtp.example.invalid:587'] };
    assert.deepEqual(capeSettings(mail, 'AgentTesla'), { Uploads: ['smtp.example.invalid:587'] });
    const raw = { C2Server: 'a.example.invalid,/x', Port: 443, UserAgent: 'Not Found' };
    const beacon = capeSettings({ raw }, 'Cobalt Strike');
    assert.deepEqual(beacon?.['C2s'], ['a.example.invalid:443']);
    assert.deepEqual(beacon?.['User Agent'], []);
  });

  it('of dissect.cobaltstrike have names of protocols, dates and the digest of the key', () => {
    const key = '30820100';
    const padded = { SETTING_PROTOCOL: 8, SETTING_KILLDATE: 20_271_231, public_key: key };
    const settings = dissectSettings(padded);
    assert.deepEqual(settings['Beacon Type'], ['HTTPS']);
    assert.deepEqual(settings['Kill Date'], ['2027-12-31']);
    assert.deepEqual(
      settings['Public Key MD5'],
      dissectSettings({ public_key: '308201' })['Public Key MD5'],
    );
    assert.deepEqual(dissectSettings({ SETTING_KILLDATE: 0 })['Kill Date'], []);
  });

  it('of rat_king_parser are nothing without the key, and combine hosts and ports', () => {
    const config = {
      Hosts: ['a.example.invalid', 'https://p.example.invalid/x'],
      Ports: ['1', '2'],
    };
    assert.equal(ratKingSettings({ config, key: 'None' }, 'XWorm'), undefined);
    assert.equal(ratKingSettings({ config: 'Exception', key: '00' }, 'XWorm'), undefined);
    const settings = ratKingSettings({ config, key: '00' }, 'XWorm');
    assert.deepEqual(settings?.['C2s'], ['a.example.invalid:1', 'a.example.invalid:2']);
    assert.deepEqual(settings?.['Dead Drops'], ['https://p.example.invalid/x']);
  });
});

describe('the page of the comparison', () => {
  it('counts agreements by family, setting and parser', () => {
    const unread = { kind: 'unread', own: [], theirs: [] } as const;
    const missing = { kind: 'missing', field: 'Mutex', own: ['m'], theirs: [] } as const;
    const { table } = crossCheckPage(
      [
        comparison({ agreed: ['C2s', 'Mutex', 'License', 'Version'] }),
        comparison({ agreed: ['C2s', 'Version'], differences: [missing] }),
        comparison({ differences: [unread] }),
      ],
      [],
    );
    assert.deepEqual(table.trim().split('\n').slice(2), [
      '| Remcos | settings | 2 of 3 |  |  |',
      '| Remcos | C2s | 2 of 2 |  |  |',
      '| Remcos | Mutex | 1 of 2 |  |  |',
      '| Remcos | License, Version | all |  |  |',
    ]);
  });
});

describe('the run of a parser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cross-check-test-'));
  after(() => rmSync(folder, { recursive: true }));

  /** A program instead of Python that prints these lines. */
  function run(...lines: readonly unknown[]) {
    const python = join(folder, 'python');
    const text = lines.map((line) => JSON.stringify(line)).join('\n');
    writeFileSync(python, `#!/bin/sh\ncat <<'END'\n${text}\nEND\n`, {
      mode: 0o755,
    });
    const jobs = [{ file: 'a', entry: 'A' }];
    return runParser({ driver: 'run_cape.py', version: '1.0', python, folder, jobs });
  }

  it('gives an answer for every file', () => {
    const result = run({ version: '1.0' }, { file: 'a', settings: { CNCs: [] } });
    assert.ok(result.kind === 'finished');
    assert.deepEqual(result.answers, new Map([['a', { CNCs: [] }]]));
    const empty = run({ version: '1.0' }, { file: 'a', settings: null, error: 'no settings' });
    assert.ok(empty.kind === 'finished');
    assert.equal(empty.answers.get('a'), undefined);
  });

  it('is skipped if the package is missing or has another version', () => {
    assert.deepEqual(run({ missing: 'ModuleNotFoundError' }), {
      kind: 'skipped',
      reason: 'it cannot be imported: ModuleNotFoundError',
    });
    assert.deepEqual(run({ version: '0.9' }), {
      kind: 'skipped',
      reason: 'version 0.9 is not 1.0',
    });
  });

  it('fails if answers are missing or the program does not start', () => {
    assert.equal(run({ version: '1.0' }).kind, 'failed');
    const python = join(folder, 'missing');
    const options = { driver: 'run_cape.py', version: '1.0', python, folder, jobs: [] };
    assert.equal(runParser(options).kind, 'failed');
  });
});
