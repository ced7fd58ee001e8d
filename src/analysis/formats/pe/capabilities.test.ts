import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { capabilitiesOf } from './capabilities.ts';

function tagsOf(...names: string[]): string[] {
  const functions = names.map((name, index) => ({ name, offset: index }));
  const imports = [{ library: 'any.dll', functions }];
  return capabilitiesOf({ imports, delayImports: [] }).map(({ tag }) => tag);
}

describe('capabilitiesOf', () => {
  it('requires one function of each group', () => {
    const needed = ['OpenProcess', 'VirtualAllocEx', 'WriteProcessMemory', 'CreateRemoteThread'];
    assert.deepEqual(tagsOf(...needed), ['PROCESS_INJECTION']);
    for (const missing of needed) {
      assert.deepEqual(tagsOf(...needed.filter((name) => name !== missing)), [], missing);
    }
  });

  const INJECTION = ['OpenProcess', 'VirtualAllocEx', 'WriteProcessMemory', 'CreateRemoteThread'];
  const exporting = (...names: string[]) => {
    const functions = INJECTION.map((name) => ({ name, offset: undefined }));
    const exports = { library: 'any.dll', functionCount: names.length, names };
    const imports = [{ library: 'kernel32.dll', functions }];
    return capabilitiesOf({ imports, delayImports: [], exports }).map(({ tag }) => tag);
  };

  it('separates libraries that offer the functions from programs that use them', () => {
    for (const name of [
      'WriteProcessMemory',
      'ZwMapViewOfSection',
      'PyInit_win32process',
      'Java_a_b',
    ])
      assert.deepEqual(exporting(name), ['REMOTE_PROCESS_FUNCTIONS'], name);
    for (const name of ['DllRegisterServer', 'Run', 'ReflectiveLoader'])
      assert.deepEqual(exporting(name), ['PROCESS_INJECTION'], name);
  });

  it('takes a library that passes on most system calls for an interface', () => {
    const others = Array.from({ length: 64 }, (_, index) => `NtOther${index}`);
    const hollowing = [
      'CreateProcessA',
      'NtUnmapViewOfSection',
      'WriteProcessMemory',
      'ResumeThread',
    ];
    assert.deepEqual(tagsOf(...hollowing), ['PROCESS_HOLLOWING']);
    assert.deepEqual(tagsOf(...hollowing, ...others), ['REMOTE_PROCESS_FUNCTIONS']);
  });

  it('treats system call names and both character set variants as one function', () => {
    assert.deepEqual(tagsOf('CreateProcessW', 'ZwMapViewOfSection', 'NtCreateThreadEx'), [
      'PROCESS_INJECTION',
    ]);
    assert.deepEqual(tagsOf('URLDownloadToFileA'), ['DOWNLOADS_FILE']);
  });

  it('includes delayed imports', () => {
    const library = { library: 'any.dll', functions: [{ name: 'BlockInput', offset: 7 }] };
    assert.deepEqual(capabilitiesOf({ imports: [], delayImports: [library] }), [
      { tag: 'BLOCKS_INPUT', functions: ['BlockInput'], offset: 7 },
    ]);
  });

  it('finds nothing in the imports of the C runtime', () => {
    const runtime = [
      'IsDebuggerPresent',
      'UnhandledExceptionFilter',
      'GetProcAddress',
      'VirtualProtect',
    ];
    assert.deepEqual(tagsOf(...runtime), []);
  });

  it('allows programs with windows to read the keyboard and copy images', () => {
    const keys = ['SetWindowsHookExA', 'GetAsyncKeyState', 'GetForegroundWindow', 'GetWindowTextA'];
    const pictures = ['BitBlt', 'CreateCompatibleBitmap', 'GetDC'];
    assert.deepEqual(tagsOf(...keys, ...pictures), ['KEYLOGGING', 'SCREEN_CAPTURE']);
    assert.deepEqual(tagsOf(...keys, ...pictures, 'BeginPaint'), []);
  });
});
