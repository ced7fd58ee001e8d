import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fixture } from '../../../../test/analysis/fixture.ts';
import { codeOf, findSequences } from './code.ts';
import { constantsOf, userStrings } from './constants.ts';
import { type DotnetFile, parseDotnet } from './file.ts';
import { memberOf } from './members.ts';

function parsed(name: string): DotnetFile {
  const file = parseDotnet(fixture(`analysis/dotnet/${name}`));
  assert.ok(file);
  return file;
}

const settings = parsed('settings');
const stores = constantsOf(settings);
const stored = (field: string) => stores.find((store) => store.field === field)?.value;

describe('constants that code stores in fields', () => {
  it('include texts with any content', () => {
    assert.equal(stored('Hosts'), 'one.example.invalid,two.example.invalid');
    assert.equal(stored('Ports'), '6606,7707');
    assert.equal(stored('Umlauts'), 'Grüße 你好');
  });

  it('include numbers in every encoding', () => {
    const names = ['Delay', 'Negative', 'Small', 'Large', 'Long', 'Ratio', 'Install', 'Off'];
    assert.deepEqual(names.map(stored), [3, -1, 100, 50_000, 1_234_567_890_123, 0.5, 1, 0]);
  });

  it('include null', () => {
    assert.equal(stored('Nothing'), null);
  });

  it('include byte arrays, from data or element by element', () => {
    const salt = 'bfeb1e56fbcd973bb219022430a57843003d5644d21e62b9d4f180e7e6c33941';
    assert.deepEqual(stored('Salt'), Buffer.from(salt, 'hex'));
    assert.deepEqual(stored('Short'), Buffer.from([7, 0, 255]));
  });

  it('include other arrays', () => {
    assert.deepEqual(stored('List'), ['a.example.invalid', 'b.example.invalid']);
    assert.deepEqual(
      stored('Numbers'),
      Buffer.from(new Int32Array([1, 2, 3, 4, 5, 6, 7, 8]).buffer),
    );
  });

  it('name the calls that produced them', () => {
    const calls = (field: string) => {
      const store = stores.find((one) => one.field === field);
      return [store?.value, ...(store?.calls ?? [])];
    };
    assert.deepEqual(calls('Text'), ['passphrase', 'System.Text.Encoding::GetBytes']);
    assert.deepEqual(calls('Decoded'), ['aGVsbG8=', 'System.Convert::FromBase64String']);
    assert.deepEqual(calls('Joined'), ['left', 'System.String::Concat']);
  });

  it('exclude values that are not constant', () => {
    assert.equal(stored('Map'), undefined);
    assert.equal(stored('SaltBytes'), undefined);
  });

  it('have an offset, a kind of method and the type of the field', () => {
    const kinds = (type: string) =>
      stores.filter((store) => store.type === type).map(({ methodKind }) => methodKind);
    assert.deepEqual(kinds('Client.Derived'), ['ctor']);
    assert.deepEqual(kinds('Client.Derived/Inner'), ['cctor']);
    const [hosts] = stores;
    assert.equal(fixture('analysis/dotnet/settings')[hosts?.offset ?? 0], 0x80);
    assert.equal(memberOf(settings, hosts?.fieldToken ?? 0)?.name, 'Hosts');
  });

  it('have the order of the code', () => {
    assert.deepEqual(
      stores.slice(0, 4).map(({ field }) => field),
      ['Hosts', 'Ports', 'Nothing', 'Umlauts'],
    );
  });

  it('are read from other methods on request', () => {
    assert.deepEqual(
      constantsOf(settings, ({ name }) => name === 'Main'),
      [],
    );
  });
});

describe('constants of fields that are assigned more than once', () => {
  const assigned = constantsOf(parsed('assignments'));
  const of = (name: string) => {
    const found = assigned.filter(({ field }) => field === name);
    return found.map(({ result, isChangedLater }) => (isChangedLater ? [result] : result));
  };

  it('are the last, even of a property and of an object', () => {
    for (const name of ['Twice', 'Property', 'Name']) assert.deepEqual(of(name), ['last'], name);
    assert.deepEqual(of('Cleared'), ['']);
  });

  it('are left out if the last value is unknown or depends on a branch', () => {
    for (const name of ['Unknown', 'Chosen', 'Branched']) assert.deepEqual(of(name), [], name);
  });

  it('are the only value that a branch can give', () => {
    assert.deepEqual(of('Unset'), ['last']);
    assert.deepEqual(of('Same'), ['first']);
  });

  it('are marked if the program changes them', () => {
    assert.deepEqual(of('Changed'), [['first']]);
  });

  it('are those of each object', () => {
    assert.deepEqual(of('Host'), ['one', 'two']);
  });

  it('have the index of the first assignment', () => {
    assert.equal(assigned[0]?.field, 'Twice');
  });
});

describe('literals of a .NET program', () => {
  it('have the order of the heap', () => {
    const texts = userStrings(settings).map(({ text }) => text);
    assert.deepEqual(texts.slice(0, 3), [
      'one.example.invalid,two.example.invalid',
      '6606,7707',
      'Grüße 你好',
    ]);
    assert.equal(texts.at(-1), 'fixture: ');
  });

  it('have their offset in the file', () => {
    const [first] = userStrings(settings);
    const at = first?.offset ?? 0;
    const bytes = fixture('analysis/dotnet/settings').subarray(at, at + 6);
    assert.equal(bytes.toString('utf16le'), 'one');
    assert.equal(settings.metadata.heaps.userString(first?.token ?? 0)?.text, first?.text);
  });
});

describe('sequences of instructions', () => {
  it('are found with tokens that resolve', () => {
    const found = [...findSequences(settings, ['ldsfld', 'ldc.i4', 'newobj'])];
    assert.equal(found.length, 1);
    const [salt, rounds, derive] = found[0]?.steps ?? [];
    assert.equal(found[0]?.method.name, 'Key');
    assert.equal(memberOf(settings, salt?.operand ?? 0)?.name, 'SaltBytes');
    assert.equal(rounds?.operand, 50_000);
    assert.equal(
      memberOf(settings, derive?.operand ?? 0)?.type,
      'System.Security.Cryptography.Rfc2898DeriveBytes',
    );
  });

  it('may be predicates and limited to some methods', () => {
    const isCall = ({ name, operand = 0 }: { name: string; operand: number | undefined }) =>
      name === 'call' && memberOf(settings, operand)?.name === 'WriteLine';
    const count = (method: string) =>
      [...findSequences(settings, [isCall], ({ name }) => name === method)].length;
    assert.deepEqual([count('Main'), count('Pick')], [1, 0]);
  });

  it('are found once for a shared body', () => {
    const methods = [...codeOf(settings)].map(({ method }) => method.bodyOffset);
    assert.equal(new Set(methods).size, methods.length);
    assert.equal(methods.length, settings.methods.filter(({ bodyOffset }) => bodyOffset).length);
  });

  it('end if methods declare more code than the file has', () => {
    const [method] = settings.methods;
    assert.ok(method);
    const methods = settings.methods.flatMap((one) => [
      one,
      one,
      { ...one, bodyOffset: undefined },
    ]);
    assert.equal([...codeOf({ ...settings, methods })].length, [...codeOf(settings)].length);
  });
});
