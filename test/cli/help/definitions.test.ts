import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readArguments } from '../../../src/cli/arguments.ts';
import { groups } from '../../../src/cli/commands/index.ts';
import { allCommands } from '../../../src/cli/help/find.ts';
import { connectionOptions } from '../../../src/cli/options/connection-options.ts';
import { outputOption } from '../../../src/cli/output/format.ts';
import { EXPORTERS } from '../../../src/exports/index.ts';
import { wordsOf } from './shell-words.ts';

const entries = allCommands(groups);
const commands = await Promise.all(entries.map(({ load }) => load()));

/** The options that many commands have are not in their usage lines. */
const UNLISTED = { ...connectionOptions, ...outputOption };

/** The name of an option in a usage line, not the start of a longer one. */
const inUsage = (usage: string, option: string) => new RegExp(`--${option}(?![\\w-])`).test(usage);

describe('the definitions of the commands', () => {
  for (const command of commands) {
    const { name, usage, options = {}, arguments: described = {}, examples } = command;

    it(`describe every option of ${name}`, () => {
      for (const [option, { type, value, description }] of Object.entries(options)) {
        assert.match(description, /^[A-Z].*[^.]$/, `--${option} has a line without a full stop`);
        assert.equal(value === undefined, type === 'boolean', `the value of --${option}`);
        const isListed = inUsage(usage, option) || Object.hasOwn(UNLISTED, option);
        assert.ok(isListed, `--${option} is not in the usage line`);
      }
      for (const [, option = ''] of usage.matchAll(/--([\w-]+)/g))
        assert.ok(Object.hasOwn(options, option), `--${option} of the usage line does not exist`);
    });

    it(`describe every argument of ${name}`, () => {
      const [min, max] = command.positionals ?? [0, 0];
      const names = Object.keys(described);
      assert.ok(names.length >= min && names.length <= max, `${names} of ${min} to ${max}`);
      for (const argument of names) assert.ok(usage.includes(argument), `${argument} in the usage`);
      if (max === Number.POSITIVE_INFINITY && name !== 'help')
        assert.ok(
          names.some((argument) => argument.endsWith('…')),
          'an argument can be repeated',
        );
    });

    it(`give examples of ${name} that it accepts`, () => {
      assert.ok(examples.length > 0);
      for (const example of examples) {
        const words = wordsOf(example.command);
        const start = name.split(' ');
        assert.match(example.command, /^(?:.+ \| )?rapsheet /);
        assert.deepEqual(words.slice(0, start.length), start);
        readArguments(command, words.slice(start.length));
        assert.match(example.description, /^[A-Z].*[^.:]$/);
      }
    });
  }

  it('offer the formats of the exports', () => {
    const format = commands.find(({ name }) => name === 'feed export')?.arguments?.['<format>'];
    assert.ok(typeof format === 'object');
    assert.deepEqual(
      format.value.split('|'),
      EXPORTERS.map(({ format }) => format),
    );
  });
});
