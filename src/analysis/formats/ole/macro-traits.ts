/** Traits of a macro's source, recognised by unambiguous keywords. */
export interface MacroTraits {
  /** The procedure that Office runs automatically. */
  readonly autoExec: string | undefined;
  readonly shell: string | undefined;
}

const AUTO_EXEC = [
  'autoexec',
  'autoopen',
  'auto_open',
  'autonew',
  'autoclose',
  'auto_close',
  'autoexit',
  'document_open',
  'documentopen',
  'document_new',
  'document_close',
  'documentbeforeclose',
  'workbook_open',
  'workbook_activate',
  'workbook_beforeclose',
  'workbook_close',
  'presentation_open',
  'slide_show_begin',
  'inkpicture1_painted',
  'inkedit1_gotfocus',
  '_onconnecting',
];

const SHELL = [
  'shell(',
  'shell "',
  'shell$',
  'shell ',
  'shellexecute',
  'wscript.shell',
  'shell.application',
  'createobject(',
  'getobject(',
  'urldownloadtofile',
  'powershell',
  'winmgmts:',
  'cmd.exe',
  'mshta',
  'virtualalloc',
  'createprocess',
  'createthread',
];

/** Searches for plain keywords, once each, so no source can make it slow. */
export function readMacroTraits(source: Buffer): MacroTraits {
  const text = withoutComments(source.toString('latin1').toLowerCase());
  return {
    autoExec: AUTO_EXEC.find((word) => hasProcedure(text, word)),
    shell: SHELL.find((word) => hasWord(text, word)),
  };
}

function withoutComments(source: string): string {
  return source
    .split('\n')
    .filter((line) => !line.trimStart().startsWith("'"))
    .join('\n');
}

/** Only as the name of a procedure: the word may also occur in a string. */
function hasProcedure(text: string, name: string): boolean {
  const head = name.startsWith('_')
    ? /(?:sub|function)[ \t]{1,8}\w{0,64}$/
    : /(?:sub|function)[ \t]{1,8}$/;
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + name.length)) {
    if (head.test(text.slice(Math.max(0, at - 80), at))) return true;
  }
  return false;
}

/** Not as the end of a longer word. */
function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) {
    if (at === 0 || !/\w/.test(text[at - 1] ?? '')) return true;
  }
  return false;
}
