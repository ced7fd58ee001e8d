export type ScriptKind =
  | 'powershell'
  | 'vbs'
  | 'vba'
  | 'js'
  | 'batch'
  | 'shell'
  | 'python'
  | 'hta'
  | 'html';

const ENDINGS: Readonly<Record<string, ScriptKind>> = {
  ps1: 'powershell',
  psm1: 'powershell',
  psd1: 'powershell',
  vbs: 'vbs',
  vbe: 'vbs',
  bas: 'vba',
  cls: 'vba',
  frm: 'vba',
  js: 'js',
  jse: 'js',
  mjs: 'js',
  wsf: 'js',
  sct: 'js',
  bat: 'batch',
  cmd: 'batch',
  sh: 'shell',
  py: 'python',
  pyw: 'python',
  hta: 'hta',
};

const SHEBANGS: readonly (readonly [interpreter: string, kind: ScriptKind])[] = [
  ['python', 'python'],
  ['pwsh', 'powershell'],
  ['node', 'js'],
  // Last, because many other names end with it.
  ['sh', 'shell'],
];

interface LanguageKeywords {
  readonly kind: ScriptKind;
  /** How many of the keywords are required: more than prose contains by chance. */
  readonly needed: number;
  readonly keywords: readonly string[];
}

/** Matched in lower case, with a line break before the text. */
const LANGUAGE_KEYWORDS: readonly LanguageKeywords[] = [
  {
    kind: 'powershell',
    needed: 2,
    keywords: [
      'powershell',
      'iex',
      'invoke-',
      'new-object ',
      'write-host',
      'write-output',
      'start-process',
      'foreach-object',
      'get-process',
      'get-item',
      'get-content',
      'set-mppreference',
      'add-mppreference',
      'executionpolicy',
      '$env:',
      '$_.',
      '[system.',
      '[convert]::',
      '[byte[]]',
      '[char]',
      '-join',
      'downloadstring(',
      'frombase64string(',
      '\nparam(',
    ],
  },
  {
    kind: 'vbs',
    needed: 2,
    keywords: [
      'createobject(',
      'wscript.',
      'on error resume next',
      '\ndim ',
      '\nset ',
      '\nsub ',
      'end sub',
      'end function',
      'end if',
      'msgbox ',
      '\nexecute',
      'chr(',
    ],
  },
  {
    kind: 'js',
    needed: 2,
    keywords: [
      'activexobject(',
      'function(',
      '\nfunction ',
      '\nvar ',
      '\nlet ',
      '\nconst ',
      '=> {',
      'eval(',
      'fromcharcode(',
      'unescape(',
      'wscript.',
      'document.',
      'require(',
      'app.alert(',
      'this.exportdataobject',
      '_0x',
    ],
  },
  {
    kind: 'batch',
    needed: 2,
    keywords: [
      '@echo off',
      '%~dp0',
      '%~f0',
      '\ngoto ',
      '\nset /',
      '\nset "',
      'setlocal',
      '%comspec%',
      '%temp%',
      '%appdata%',
      'cmd.exe',
      'cmd /c',
      '\nif exist ',
      '\nif not exist ',
      '>nul',
      '\nreg add',
      'schtasks ',
      '\nrem ',
    ],
  },
  {
    kind: 'shell',
    needed: 3,
    keywords: [
      '\nfi\n',
      '\ndone',
      '; then',
      '; do',
      'chmod ',
      'wget http',
      'curl -',
      '/bin/sh',
      '/bin/bash',
      '/tmp',
      '\nexport ',
      '\necho ',
      '>/dev/null',
    ],
  },
  {
    kind: 'python',
    needed: 3,
    keywords: [
      '\nimport ',
      '\nfrom ',
      '\ndef ',
      '\nclass ',
      'print(',
      'exec(',
      '__name__',
      '__import__',
      'lambda',
      '.decode(',
      'self.',
      'b64decode(',
    ],
  },
];

/** A command line: the program comes first. */
const COMMAND_LINE = /^\s{0,8}"?(?:[^\s"]{0,260}[\\/])?(powershell|pwsh|cmd)(?:\.exe)?"?\s/;

const HEAD_LENGTH = 64 * 1024;

/**
 * Recognises the language by its markup, command line or shebang, then by the file extension, then
 * by keywords.
 */
export function kindOfScript(text: string, name: string): ScriptKind | undefined {
  const head = text.slice(0, HEAD_LENGTH).toLowerCase().replaceAll('\r\n', '\n');
  if (head.startsWith('#!')) return kindByShebang(head);
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return (
    kindOfMarkup(head) ??
    (name.includes('.') ? ENDINGS[ending] : undefined) ??
    (head.startsWith('attribute vb_') ? 'vba' : undefined) ??
    kindOfCommandLine(head) ??
    kindByKeywords(head)
  );
}

function kindByShebang(head: string): ScriptKind | undefined {
  const end = head.indexOf('\n');
  const line = head.slice(0, Math.min(end === -1 ? 128 : end, 128));
  return SHEBANGS.find(([interpreter]) => line.includes(interpreter))?.[1];
}

function kindOfCommandLine(head: string): ScriptKind | undefined {
  const program = COMMAND_LINE.exec(head.slice(0, 512))?.[1];
  if (program === undefined) return undefined;
  return program === 'cmd' ? 'batch' : 'powershell';
}

function kindOfMarkup(head: string): ScriptKind | undefined {
  if (head.includes('<hta:application')) return 'hta';
  const start = head.slice(0, 1024).trimStart();
  if (start.startsWith('<!doctype html') || start.startsWith('<html')) return 'html';
  return start.startsWith('<script') ? 'html' : undefined;
}

function kindByKeywords(head: string): ScriptKind | undefined {
  // Escapes that PowerShell and cmd ignore must not hide the keywords.
  const plain = `\n${head.replace(/[`^]/g, '')}`;
  let best: { kind: ScriptKind; margin: number } | undefined;
  for (const { kind, needed, keywords } of LANGUAGE_KEYWORDS) {
    const margin = keywords.filter((keyword) => plain.includes(keyword)).length - needed;
    if (margin >= 0 && margin > (best?.margin ?? -1)) best = { kind, margin };
  }
  return best?.kind;
}
