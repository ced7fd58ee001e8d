import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parseAddress } from '../../src/domain/ip-address.ts';
import { parseMailAddress } from '../../src/domain/mail/mail-settings.ts';
import { isPublicAddress } from '../../src/domain/public-address.ts';
import { isRegistrySuffix } from '../../src/domain/public-suffix.ts';
import { parseHostPattern, parseNetwork } from '../../src/domain/services/service.ts';
import { type DirectoryEntry, factsOf, readEntries, readSchema } from './directory-files.ts';

const MIN_PROVIDERS = 150;
const MIN_REACHABLE = 150;

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
const isValid = ajv.compile(readSchema());
const entries = readEntries();

/** What `complaints` finds in each file, with the name of the file. */
function inEachFile(complaints: (entry: DirectoryEntry) => readonly string[]): readonly string[] {
  return entries.flatMap((entry) => complaints(entry).map((text) => `${entry.slug}: ${text}`));
}

const slugOf = (name: string) =>
  name
    .normalize('NFKD')
    .replace(/[^\x20-\x7e]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

function isCanonicalNetwork(text: string): boolean {
  const [address = '', length = ''] = text.split('/');
  const bits = (parseAddress(address) ?? [])
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('');
  return parseNetwork(text) === text && !bits.slice(Number(length)).includes('1');
}

const isSorted = (values: readonly string[]) =>
  values.every((value, index) => index === 0 || (values[index - 1] ?? '') < value);

/** The suffixes of a list that another one of it covers. */
function covered(suffixes: readonly string[]): readonly string[] {
  return suffixes.filter((suffix) =>
    suffixes.some((other) => other !== suffix && suffix.endsWith(`.${other}`)),
  );
}

describe('the directory of providers', () => {
  it(`knows ${MIN_PROVIDERS} providers, and the desk of ${MIN_REACHABLE}`, () => {
    const reachable = entries.filter(
      ({ provider }) => provider.mail !== undefined || provider.form !== undefined,
    );
    assert.ok(entries.length >= MIN_PROVIDERS, `${entries.length} providers`);
    assert.ok(reachable.length >= MIN_REACHABLE, `${reachable.length} with a desk`);
  });

  it('has files of the form that the schema describes', () => {
    const found = inEachFile(({ provider }) =>
      isValid(provider) ? [] : [ajv.errorsText(isValid.errors)],
    );
    assert.deepEqual(found, []);
  });

  it('has a schema that refuses what is not a fact', () => {
    const fact = (value: string) => ({ value, source: 'https://example.com', date: '2026-11-18' });
    const provider = { name: 'Example', kind: 'tunnel', suffixes: [fact('tunnels.example')] };
    assert.ok(isValid(provider), ajv.errorsText(isValid.errors));
    for (const wrong of [
      { name: 'Example', kind: 'tunnel', mail: fact('abuse@example.com') },
      { ...provider, kind: 'shop' },
      { ...provider, suffixes: [] },
      { ...provider, suffixes: [fact('*.tunnels.example')] },
      { ...provider, suffixes: [fact('Tunnels.example')] },
      { ...provider, suffixes: [fact('com')] },
      { ...provider, networks: [fact('192.0.2.1')] },
      { ...provider, mail: fact('abuse') },
      { ...provider, mail: { value: 'abuse@example.com' } },
      { ...provider, mail: { ...fact('abuse@example.com'), source: 'http://example.com' } },
      { ...provider, mail: { ...fact('abuse@example.com'), date: '2026-11-31' } },
      { ...provider, form: fact('http://example.com') },
      { ...provider, phone: fact('+1 555 0100') },
    ])
      assert.ok(!isValid(wrong), JSON.stringify(wrong));
  });

  it('names each file for its provider and ends it with a line break', () => {
    const found = inEachFile(({ slug, text, provider }) => [
      ...(slugOf(provider.name) === slug ? [] : [provider.name]),
      ...(text.endsWith('}\n') ? [] : ['no line break at the end']),
    ]);
    assert.deepEqual(found, []);
  });

  it('has values in their canonical form', () => {
    const found = inEachFile(({ provider: { suffixes = [], networks = [], mail, form, feed } }) => [
      ...suffixes.map(({ value }) => value).filter((name) => parseHostPattern(name) !== name),
      ...networks.map(({ value }) => value).filter((network) => !isCanonicalNetwork(network)),
      ...(mail && parseMailAddress(mail.value) !== mail.value ? [mail.value] : []),
      ...[form, feed].flatMap((url) => (url && !URL.canParse(url.value) ? [url.value] : [])),
    ]);
    assert.deepEqual(found, []);
  });

  it('lists sorted values, and no suffix below another one of the provider', () => {
    const found = inEachFile(({ provider }) => {
      const suffixes = (provider.suffixes ?? []).map(({ value }) => value);
      const networks = (provider.networks ?? []).map(({ value }) => value);
      const order = isSorted(suffixes) && isSorted(networks) ? [] : ['not sorted'];
      return [...order, ...covered(suffixes)];
    });
    assert.deepEqual(found, []);
  });

  it('claims no suffix of a registry', () => {
    const found = inEachFile(({ provider }) =>
      (provider.suffixes ?? []).map(({ value }) => value).filter(isRegistrySuffix),
    );
    assert.deepEqual(found, []);
  });

  it('claims no private or reserved network', () => {
    const found = inEachFile(({ provider }) =>
      (provider.networks ?? [])
        .map(({ value }) => value)
        .filter((network) => !isPublicAddress(network.replace(/\/.*$/, ''))),
    );
    assert.deepEqual(found, []);
  });

  it('gives each name and network to one provider', () => {
    const owners = new Map<string, string>();
    const found = inEachFile(({ slug, provider }) =>
      [...(provider.suffixes ?? []), ...(provider.networks ?? [])].flatMap(({ value }) => {
        const other = owners.get(value);
        owners.set(value, slug);
        return other === undefined ? [] : [`${value} is also in ${other}`];
      }),
    );
    assert.deepEqual(found, []);
  });

  it('states sources that are public addresses, read on a day that has come', () => {
    const today = new Date().toISOString().slice(0, 10);
    const found = inEachFile(({ provider }) =>
      factsOf(provider)
        .filter(({ source, date }) => {
          const { hostname } = new URL(source);
          return date > today || !hostname.includes('.') || hostname.endsWith('.local');
        })
        .map(({ value }) => value),
    );
    assert.deepEqual(found, []);
  });

  it('recognises wrong values', () => {
    assert.ok(isCanonicalNetwork('192.0.2.0/24') && isCanonicalNetwork('2001:db8::/32'));
    for (const network of ['192.0.2.1/24', '2001:DB8::/32', '2001:db8:0::/32', '192.0.2.0/33'])
      assert.ok(!isCanonicalNetwork(network), network);
    assert.deepEqual(covered(['b.example', 'eu.b.example', 'notb.example']), ['eu.b.example']);
    assert.ok(!isSorted(['b', 'a']) && !isSorted(['a', 'a']));
    assert.equal(slugOf('Äpfel & Co.'), 'apfel-co');
  });
});
