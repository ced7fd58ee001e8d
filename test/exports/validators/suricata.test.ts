import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { suricata } from '../../../src/exports/suricata/suricata.ts';
import { outputsOf } from './outputs.ts';
import { loadInSuricata } from './suricata-loader.ts';
import { whyNo } from './tool.ts';

/** The files of a set by their names. */
function filesOf(text: string): ReadonlyMap<string, string> {
  const parts = text.split(/^==> (.*)\n/m).slice(1);
  return new Map(
    parts.flatMap((name, index) => (index % 2 === 0 ? [[name, parts[index + 1] ?? '']] : [])),
  );
}

const sets = outputsOf(suricata)
  .filter(({ options }) => options['file'] === 'set')
  .map(({ name, reports, text }) => ({ name, reports, files: filesOf(text) }));

/** The disabled rules load as well. */
function enabled(rules: string): string {
  return rules.replaceAll(/^# alert /gm, 'alert ');
}

describe('Suricata', { skip: whyNo('suricata') }, () => {
  for (const { name, files } of sets) {
    it(`loads every file of the set of ${name}`, () => {
      const rules = enabled(files.get('feed.rules') ?? '');
      const count = rules.match(/^alert /gm)?.length ?? 0;
      const { status, output } = loadInSuricata(new Map([...files, ['feed.rules', rules]]));
      assert.equal(status, 0, output);
      // It ends with 0 although lines of the reputation were refused.
      assert.doesNotMatch(output, /^(?:E|W|Error|Warning):/m);
      assert.match(output, new RegExp(`${count} rules successfully loaded, 0 rules failed`));
    });
  }

  it('refuses what the strict checks refuse', () => {
    const files = new Map([...(sets[0]?.files ?? []), ['feed.rules', 'alert tcp any\n']]);
    assert.match(loadInSuricata(files).output, /^(?:E|Error):/m);
  });
});

/** The only characters that a value may have beside those of its format. */
const OPTION = '[a-z0-9_.]+(?::(?:"[A-Za-z0-9 ._:/()-]{1,253}"|[A-Za-z0-9 ._:/,>~-]+))?;';
const RULE = new RegExp(
  String.raw`^(?:# )?alert (?:dns|http|ip) \S+ any -> (?:any|[0-9.]+|\[[0-9a-f:]+\]) (?:any|\d{1,5}) \(${OPTION}(?: ${OPTION})*\)$`,
);
const KEYWORDS = new Set(
  'msg flow dns.query content nocase bsize threshold reference classtype sid rev metadata filesha256 dataset ip.dst iprep'.split(
    ' ',
  ),
);

describe('the Suricata rules', () => {
  for (const { name, files } of sets) {
    const rules = (files.get('feed.rules') ?? '')
      .split('\n')
      .filter((line) => /^(?:# )?alert /.test(line));

    it(`of ${name} have one form and only harmless keywords`, () => {
      for (const rule of rules) {
        assert.match(rule, RULE);
        assert.ok(rule.length < 2000, rule);
        const texts = rule.replaceAll(/"[^"]*"/g, '""');
        for (const [, keyword = ''] of texts.matchAll(/[(;] ?([a-z0-9_.]+)[:;]/g))
          assert.ok(KEYWORDS.has(keyword), keyword);
        assert.doesNotMatch(texts, /dataset:(?!isset,)|\b(?:save|state|set),/);
        assert.ok((/msg:"([^"]*)"/.exec(rule)?.[1] ?? '').length <= 120);
      }
    });

    it(`of ${name} have unique numbers`, () => {
      const sids = rules.map((rule) => Number(/ sid:(\d+); /.exec(rule)?.[1]));
      assert.equal(new Set(sids).size, rules.length);
      for (const sid of sids) assert.ok(sid > 0 && sid <= 4_294_967_295);
    });

    it(`of ${name} use the list of files only if it has one`, () => {
      const hasFiles = /^[0-9a-f]{64}$/m.test(files.get('samples.sha256') ?? '');
      assert.equal(
        rules.some((rule) => rule.includes('filesha256:')),
        hasFiles,
      );
    });
  }

  it('number a C2 by its report, whatever else is reported', () => {
    const { files, reports } = sets.find(({ name }) => name === 'mixed') ?? {};
    const byNumber = new Map(reports?.map((report) => [report.number, report.c2]));
    const rules = files?.get('feed.rules') ?? '';
    const found = [...rules.matchAll(/^alert ip .* -> (\S+) (\d+) .* sid:(\d+); /gm)];
    assert.ok(found.length > 1000);
    for (const [, host, port, sid] of found) {
      const c2 = byNumber.get(Number(sid) - 90_000_000);
      assert.equal(c2?.host, host?.replaceAll(/[[\]]/g, ''));
      assert.equal(c2?.port, Number(port));
    }
  });
});

describe('the lists for Suricata', () => {
  for (const { name, files } of sets) {
    it(`of ${name} have no line that it would refuse`, () => {
      const lines = (file: string) => files.get(file)?.split('\n').slice(0, -1) ?? [];
      const names = lines('c2-domains.lst').map((line) => {
        const text = Buffer.from(line, 'base64').toString();
        assert.equal(Buffer.from(text).toString('base64'), line);
        return text;
      });
      assert.match(names.at(-1) ?? '', /^# END rows=\d+ sha256=[0-9a-f]{64}$/);
      for (const text of names.slice(0, -1)) assert.match(text, /^[a-z0-9._-]{1,253}$/);
      assert.equal(lines('c2-ips.lst').at(-1), '192.0.2.0');
      for (const line of lines('c2-ips.lst')) assert.match(line, /^[0-9a-f.:]+$/);
      const scores = lines('reputation.list').filter((line) => !line.startsWith('#'));
      for (const line of scores)
        assert.match(line, /^[0-9a-f.:]+,57,(?:[1-9]|[1-9]\d|1[01]\d|12[0-7])$/);
      assert.equal(new Set(scores.map((line) => line.split(',')[0])).size, scores.length);
    });
  }
});
