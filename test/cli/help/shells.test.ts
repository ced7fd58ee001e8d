import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { groups } from '../../../src/cli/commands/index.ts';
import { bashCompletion } from '../../../src/cli/completion/bash.ts';
import { fishCompletion } from '../../../src/cli/completion/fish.ts';
import { completionModel } from '../../../src/cli/completion/model.ts';
import { zshCompletion } from '../../../src/cli/completion/zsh.ts';
import { describeCommand } from '../../../src/cli/help/described-command.ts';
import { allCommands } from '../../../src/cli/help/find.ts';

const ROOT = join(import.meta.dirname, '../../..');
const PROGRAM = join(ROOT, 'bin/program.js');
const MAN_PAGE = join(ROOT, 'docs/man/rapsheet.1');
const ESCAPE = '\u001b[';

/** Skips a test of a program that this machine does not have. */
function needs(program: string): { readonly skip: string | false } {
  const { error } = spawnSync(program, ['--version'], { stdio: 'ignore' });
  return { skip: error === undefined ? false : `${program} is not installed` };
}

const FILES = ['a b.txt', 'x.json'];

/** The last word is completed. */
const COMPLETIONS: readonly (readonly [words: readonly string[], offered: readonly string[]])[] = [
  [['lo'], ['login', 'logout', 'lookup']],
  [
    ['token', ''],
    ['generate', 'issue', 'list', 'revoke'],
  ],
  [['help', 'proposal', 'd'], ['dismiss']],
  [['report', 'list', ''], ['all']],
  [
    ['report', 'list', 'ply', '--order', ''],
    ['asc', 'desc'],
  ],
  [
    ['feed', 'export', 'all', 's'],
    ['sha256', 'sigma', 'snort', 'stix', 'suricata'],
  ],
  [['delivery', 'list', '--limit', '5', 'ply', ''], ['mail']],
  [['account', 'set', 'alice', '--quota', ''], ['unlimited']],
  [['lookup', '--to'], ['--token-file']],
  [['analyse', ''], FILES],
  [['lookup', '--token-file', ''], FILES],
  [['sample', 'add', '--url', ''], []],
];

const loaded = await Promise.all(allCommands(groups).map(({ load }) => load()));
const model = completionModel(loaded.map(describeCommand));

describe('completion', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-shells-'));
  const files = join(folder, 'files');
  before(() => {
    mkdirSync(files);
    for (const name of FILES) writeFileSync(join(files, name), '');
  });
  after(() => rmSync(folder, { recursive: true }));

  const script = (shell: string, text: string) => {
    const file = join(folder, `rapsheet.${shell}`);
    writeFileSync(file, text);
    return file;
  };

  /** The words that are offered for each command line, without options that are always offered. */
  const offered = (output: string) =>
    output
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split('|').filter((word) => word !== '' && word !== '--help'));

  it('in bash offers commands, verbs, options, values and files', () => {
    const file = script('bash', bashCompletion(model));
    const program = `source "$0"
while IFS='|' read -r -a COMP_WORDS; do
  COMP_CWORD=$(( \${#COMP_WORDS[@]} - 2 ))
  unset "COMP_WORDS[COMP_CWORD + 1]"
  _rapsheet
  printf '%s|' "\${COMPREPLY[@]}"
  echo
done`;
    const lines = [
      ...COMPLETIONS.map(([words]) => words),
      ['report', 'list', 'ply', '--order', '=', 'd'],
      ['report', 'list', 'ply', '--order', '='],
    ];
    const input = lines.map((words) => `rapsheet|${words.join('|')}|end\n`).join('');
    const output = execFileSync('bash', ['--norc', '-c', program, file], {
      cwd: files,
      input,
      encoding: 'utf8',
    });
    assert.deepEqual(
      offered(output).map((words) => words.sort()),
      [...COMPLETIONS.map(([, words]) => words), ['desc'], ['asc', 'desc']],
    );
  });

  it('in fish offers them too, some of them at any position', needs('fish'), () => {
    const file = script('fish', fishCompletion(model));
    const program = `source ${file}
while read -l line
    echo (complete -C $line | string replace -r '\\t.*' '' | string join '|')
end`;
    const output = execFileSync('fish', ['--no-config', '-c', program], {
      cwd: files,
      input: COMPLETIONS.map(([words]) => `rapsheet ${words.join(' ')}\n`).join(''),
      env: { ...process.env, HOME: folder },
      encoding: 'utf8',
    });
    const found = offered(output);
    for (const [index, [words, expected]] of COMPLETIONS.entries())
      for (const word of expected)
        assert.ok(found[index]?.includes(word), `${words.join(' ')}: ${found[index]}`);
    assert.deepEqual(found.at(-1), []);
  });

  it('in zsh is a script without an error', needs('zsh'), () => {
    execFileSync('zsh', ['-f', '-n', script('zsh', zshCompletion(model))]);
  });

  it('in zsh has every command with its options', () => {
    const text = zshCompletion(model);
    assert.match(text, /^#compdef rapsheet\n/);
    assert.match(text, /'--order=\[By time of creation\\: .*\]:order:\(asc desc\)'/);
    for (const { name } of model.commands) assert.ok(text.includes(`    '${name}')\n`), name);
  });
});

describe('the manual page', () => {
  it('is in the package', () => {
    const { man, files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    assert.equal(join(ROOT, man), MAN_PAGE);
    assert.ok(files.includes('docs/man'));
  });

  it('has no warning of groff', needs('groff'), () => {
    const { stderr, status } = spawnSync('groff', ['-man', '-ww', '-Tutf8', '-z', MAN_PAGE], {
      encoding: 'utf8',
    });
    assert.deepEqual([status, stderr], [0, '']);
  });

  it('has no warning of mandoc, which asks for a date', needs('mandoc'), () => {
    const { stdout } = spawnSync('mandoc', ['-T', 'lint', '-W', 'warning', MAN_PAGE], {
      encoding: 'utf8',
    });
    const warnings = stdout.split('\n').filter((line) => line !== '' && !/missing date/.test(line));
    assert.deepEqual(warnings, []);
  });
});

describe('the colours of the output', () => {
  const settings = { PATH: process.env['PATH'], TERM: 'xterm-256color' };
  const command = `${process.execPath} ${PROGRAM} help lookup`;

  it('are absent in a pipe', () => {
    const [program = '', ...words] = command.split(' ');
    const output = execFileSync(program, words, { env: settings, encoding: 'utf8' });
    assert.match(output, /^Usage$/m);
    assert.ok(!output.includes(ESCAPE));
  });

  it('are present on a terminal, unless NO_COLOR or TERM say otherwise', needs('script'), () => {
    const onTerminal = (more: Readonly<Record<string, string>>) =>
      execFileSync('script', ['-qec', command, '/dev/null'], {
        env: { ...settings, ...more },
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'inherit'],
      });
    assert.ok(onTerminal({}).includes(`${ESCAPE}1mUsage`));
    assert.ok(onTerminal({ NO_COLOR: '' }).includes(ESCAPE));
    assert.ok(!onTerminal({ NO_COLOR: '1' }).includes(ESCAPE));
    assert.ok(!onTerminal({ TERM: 'dumb' }).includes(ESCAPE));
  });
});

describe('the launcher', () => {
  const launcher = join(ROOT, 'bin/rapsheet.js');

  it('is executable', () => {
    assert.equal(statSync(launcher).mode & 0o111, 0o111);
  });

  it('prints the version as the program does, without loading it', () => {
    const run = (...words: readonly string[]) =>
      execFileSync(process.execPath, words, { encoding: 'utf8' });
    const text = run(PROGRAM, 'version');
    assert.match(text, /^rapsheet \d+\.\d+\.\d+ \(Node \d+\.\d+\.\d+\)\n$/);
    // With this option the program could not load a single file.
    const isolated = run(
      '--permission',
      `--allow-fs-read=${join(ROOT, 'bin')}`,
      ...[`--allow-fs-read=${join(ROOT, 'package.json')}`, launcher, '--version'],
    );
    assert.equal(isolated, text);
    assert.equal(run(launcher, 'version', '--json'), run(PROGRAM, 'version', '--json'));
  });
});
