import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { imphashOf } from './imports.ts';
import { ordinalName } from './ordinals.ts';

const md5 = (text: string) => createHash('md5').update(text).digest('hex');

describe('imphashOf', () => {
  it('hashes lower-case names in order, without the extensions of libraries', () => {
    const libraries = [
      { library: 'KERNEL32.dll', functions: [{ name: 'ExitProcess' }, { name: 'Beep' }] },
      { library: 'Driver.SYS', functions: [{ name: 'One' }] },
      { library: 'tool.exe', functions: [{ name: 'Two' }] },
    ];
    assert.equal(
      imphashOf(libraries),
      md5('kernel32.exitprocess,kernel32.beep,driver.one,tool.exe.two'),
    );
  });

  it('is undefined without imports', () => {
    assert.equal(imphashOf([]), undefined);
  });
});

describe('ordinalName', () => {
  it('knows the ordinals of sockets and automation', () => {
    assert.equal(ordinalName('WS2_32.dll', 115), 'WSAStartup');
    assert.equal(ordinalName('wsock32.dll', 115), 'WSAStartup');
    assert.equal(ordinalName('oleaut32.dll', 2), 'SysAllocString');
  });

  it('formats all others as numbers', () => {
    assert.equal(ordinalName('ws2_32.dll', 9999), 'ord9999');
    assert.equal(ordinalName('mfc42.dll', 115), 'ord115');
  });
});
