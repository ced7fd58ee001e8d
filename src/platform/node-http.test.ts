import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';

const SERVER = new URL('../server/start-server.ts', import.meta.url);

/** Names the internal modules of Node that a program has loaded. */
function modulesOf(program: string): readonly string[] {
  const print = `${program}; console.log(JSON.stringify(process.moduleLoadList));`;
  const args = ['--input-type=module', '--eval', print];
  const cwd = fileURLToPath(new URL('../..', import.meta.url));
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', cwd }));
}

const UNDICI = 'NativeModule internal/deps/undici/undici';

it("keeps Node's fetch out of the modules of the service", () => {
  assert.ok(modulesOf("await import('node:http')").includes(UNDICI), 'the import loads it');
  assert.ok(!modulesOf(`await import('${SERVER.href}')`).includes(UNDICI));
});
