import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { CommandError, type CommandInput, EXIT } from '../command.ts';
import { readOutput } from './format.ts';
import { type Columns, Pages, printList, tableOf } from './list.ts';

interface Item {
  readonly id: string;
  readonly name: string;
  readonly score: number;
  readonly tags: readonly string[];
}

const columns: Columns<Item> = [
  { name: 'id', title: 'ID', value: ({ id }) => id },
  {
    name: 'name',
    title: 'NAME',
    flexible: true,
    value: ({ name }) => name,
    text: ({ name }) => `<${name}>`,
  },
  { name: 'score', value: ({ score }) => score },
  { name: 'tags', title: 'TAGS', value: ({ tags }) => tags },
];

const one: Item = { id: 'a1', name: '=cmd|"x"', score: -5, tags: ['a|b', 'c'] };
const other: Item = { id: 'b2', name: 'tab\tand\nline', score: 7, tags: [] };

/** What is printed for the options. */
function printed(test: TestContext, options: CommandInput['options'], show: Show): string {
  const parts: string[] = [];
  const write = (text: string) => {
    parts.push(text);
    return true;
  };
  const { stdout } = process;
  const mock = test.mock.method(stdout, 'write', write as typeof stdout.write);
  try {
    const json = readOutput(options) === 'json';
    show({
      groups: [],
      positionals: [],
      options,
      json,
      print: (result, text) => write(`${json ? JSON.stringify(result) : text}\n`),
      printMessage: (message) => write(`(${message})`),
    });
  } finally {
    mock.mock.restore();
  }
  return parts.join('');
}

type Show = (input: CommandInput) => void;

const listed: Show = (input) => printList(input, { result: { n: 2 }, columns, rows: [one, other] });
const paged: Show = (input) => {
  const pages = new Pages(input, columns);
  pages.show({ page: 1 }, [one]);
  pages.show({ page: 2 }, [other]);
  pages.end();
};

describe('the output of a list', () => {
  it('is a table, with its own texts and without the columns that have no title', (test) => {
    const text =
      'ID  NAME              TAGS\na1  <=cmd|"x">        a|b, c\nb2  <tab?and?line>    -\n';
    assert.equal(printed(test, {}, listed).replace(/ {2,}/g, '  '), text.replace(/ {2,}/g, '  '));
    assert.equal(printed(test, { output: 'table' }, listed), printed(test, {}, listed));
  });

  it('is CSV with the names of all columns, in which no cell is a formula', (test) => {
    const csv =
      '"id","name","score","tags"\r\n' +
      '"a1","\'=cmd|""x""","-5","a\\|b|c"\r\n' +
      '"b2","tab\ufffdand\ufffdline","7",""\r\n';
    assert.equal(printed(test, { output: 'csv' }, listed), csv);
    assert.equal(printed(test, { output: 'csv' }, paged), csv);
  });

  it('is raw: whole values between tabs, a line per item', (test) => {
    const raw = 'a1\t=cmd|"x"\t-5\ta\\|b|c\nb2\ttab?and?line\t7\t\n';
    assert.equal(printed(test, { output: 'raw' }, listed), raw);
    assert.equal(printed(test, { output: 'raw' }, paged), raw);
  });

  it('is one JSON value, or one per page', (test) => {
    for (const options of [{ output: 'json' }, { json: true }, { json: true, output: 'json' }]) {
      assert.equal(printed(test, options, listed), '{"n":2}\n');
      assert.equal(printed(test, options, paged), '{"page":1}\n{"page":2}\n');
    }
  });

  it('is a JSON value per item with --ndjson', (test) => {
    const lines = [one, other].map((item) => `${JSON.stringify(item)}\n`).join('');
    assert.equal(printed(test, { ndjson: true }, listed), lines);
  });

  it('has the header of CSV even without items', (test) => {
    const empty: Show = (input) => printList(input, { result: {}, columns, rows: [] });
    assert.equal(printed(test, { output: 'csv' }, empty), '"id","name","score","tags"\r\n');
    assert.equal(printed(test, { output: 'raw' }, empty), '');
  });

  it('refuses other values and contradictions', () => {
    const refused = (options: CommandInput['options'], message: RegExp) =>
      assert.throws(
        () => readOutput(options),
        (cause) =>
          cause instanceof CommandError &&
          cause.exitCode === EXIT.usage &&
          message.test(cause.message),
      );
    refused({ output: 'xml' }, /^--output must be table, json, csv or raw$/);
    refused({ output: 'csv', json: true }, /^--json and --output csv exclude each other$/);
    refused({ output: 'raw', ndjson: true }, /^--ndjson and --output raw exclude each other$/);
  });

  it('is shortened to the width of a terminal in flexible columns only', () => {
    const wide = { ...one, id: 'i'.repeat(30), name: 'n'.repeat(60) };
    const fitted = tableOf(columns, [wide], 60).split('\n');
    assert.ok(fitted.every((line) => line.length <= 60));
    assert.match(fitted[1] ?? '', /^i{30} {2}<n+… {2}a\|b, c$/);
    const whole = tableOf(columns, [wide]);
    assert.match(whole, /<n{60}>/);
    const narrow = tableOf(columns, [wide], 40).split('\n');
    assert.deepEqual(narrow.slice(3), ['i'.repeat(30), `    <${'n'.repeat(34)}…`, '    a|b, c']);
  });

  it('has one header over all pages, even if it has several lines', (test) => {
    const { isTTY, columns: width } = process.stdout;
    test.after(() => Object.assign(process.stdout, { isTTY, columns: width }));
    Object.assign(process.stdout, { isTTY: true, columns: 20 });
    assert.equal(printed(test, {}, paged).match(/TAGS/g)?.length, 1);
  });
});
