import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { withConstructorsOnce } from './constructors-once.ts';

function moduleOfYara(): Buffer {
  const address = import.meta.resolve('@virustotal/yara-x');
  return readFileSync(fileURLToPath(new URL('yara_x_js_bg.wasm', address)));
}

describe('the constructors of the module of YARA', () => {
  it('are found in the installed version, and guarded by one more global', () => {
    const original = moduleOfYara();
    const guarded = withConstructorsOnce(original);
    // The global, its number of bytes, the guard and the lengths around them.
    const added = guarded.length - original.length;
    assert.ok(added > 10 && added < 24, `${added} bytes were added`);
    assert.ok(WebAssembly.validate(guarded));
  });

  it('leave another module as it is', () => {
    const empty = Buffer.from('\0asm\x01\0\0\0', 'latin1');
    assert.equal(withConstructorsOnce(empty), empty);
  });

  it('leave a module without a common first call as it is', () => {
    const renamed = moduleOfYara();
    const name = '__wbindgen_malloc_command_export';
    renamed.write(name.replace('malloc', 'mallox'), renamed.indexOf(name));
    assert.equal(withConstructorsOnce(renamed), renamed);
  });
});

/** Node has it, but its types do not declare it. */
declare const WebAssembly: { validate(bytes: Uint8Array): boolean };
