import type { ScriptKind } from './kind.ts';

/** Behaviour of a script, recognised by keywords. One keyword of each list is required. */
export interface Trait<Tag extends string> {
  readonly tag: Tag;
  readonly keywords: readonly (readonly string[])[];
  /** The maximum distance between them: a long script contains many keywords by chance. */
  readonly within?: number;
  /** Languages in which the keywords have this meaning; all if absent. */
  readonly kinds?: readonly ScriptKind[];
}

/** A statement or two. */
const WITHIN_STATEMENT = 300;
/** A few lines, such as between the download of a file and its start. */
const WITHIN_LINES = 1024;

const DOWNLOADERS = [
  'downloadstring',
  'downloadfile',
  'downloaddata',
  'invoke-webrequest',
  'iwr ',
  'invoke-restmethod',
  'irm ',
  'start-bitstransfer',
  'bitsadmin',
  'urldownloadtofile',
  '-urlcache ',
  'wget ',
  'curl ',
  'curl.exe ',
  'tftp ',
];

/**
 * Web pages use these too, so the response must be run by code that no web page
 * contains.
 */
const REQUESTS = [
  'msxml2.xmlhttp',
  'msxml2.serverxmlhttp',
  'microsoft.xmlhttp',
  'winhttp.winhttprequest',
];

const EXECUTORS = [
  'iex',
  'invoke-expression',
  'invoke-item',
  'start-process',
  'shellexecute',
  'wscript.shell',
  'shell.application',
  'shell(',
  'start /b',
  'start "',
  '|sh',
  '| sh',
  '|bash',
  '| bash',
  'chmod +x',
  'chmod 777',
  'sh -c',
  'os.system(',
  'rundll32',
  'regsvr32',
  'reflection.assembly',
  '.invoke(',
];

const WINDOWS_EXECUTORS = [
  'wscript.shell',
  'shell.application',
  'adodb.stream',
  'shellexecute',
  'shell(',
  'executeglobal',
];

/** The declarations of the functions that a loader calls. */
const WITHIN_DECLARATIONS = 2048;

export type TraitTag = (typeof TRAITS)[number]['tag'];

export const TRAITS = [
  { tag: 'DOWNLOAD_CRADLE', keywords: [DOWNLOADERS, EXECUTORS], within: WITHIN_LINES },
  { tag: 'DOWNLOAD_CRADLE', keywords: [REQUESTS, WINDOWS_EXECUTORS] },
  { tag: 'DOWNLOAD_CRADLE', keywords: [['mshta http', 'mshta.exe http', 'scrobj.dll']] },
  {
    tag: 'DOWNLOAD_CRADLE',
    keywords: [
      ['urllib.request', 'urlopen(', 'requests.get('],
      ['exec(', 'os.system(', 'popen('],
    ],
    within: WITHIN_STATEMENT,
    kinds: ['python'],
  },
  {
    tag: 'AMSI_BYPASS',
    keywords: [['amsiutils', 'amsiinitfailed', 'amsiscanbuffer', 'amsicontext', 'amsi.dll']],
  },
  {
    tag: 'HIDDEN_WINDOW',
    keywords: [
      [
        '-windowstyle hidden',
        '-windowstyle h',
        '-window hidden',
        '-win hidden',
        '-wind hidden',
        '-w hidden',
        '-w h ',
        'vbhide',
        'windowstyle=0',
        'windowstyle = 0',
        'createnowindow',
      ],
    ],
  },
  // The second argument of Run is the window style.
  {
    tag: 'HIDDEN_WINDOW',
    keywords: [['wscript.shell'], [', 0, false', ',0,false', ', 0, true', ',0,true', ', vbhide']],
  },
  {
    tag: 'REFLECTIVE_LOAD',
    keywords: [
      ['reflection.assembly]::load(', 'assembly]::load(', 'currentdomain.load(', 'assembly.load('],
    ],
  },
  { tag: 'PERSISTENCE_RUN_KEY', keywords: [['currentversion\\run', 'currentversion\\\\run']] },
  {
    tag: 'PERSISTENCE_SCHTASKS',
    keywords: [
      ['schtasks /create', 'schtasks.exe /create', 'register-scheduledtask', 'schedule.service'],
    ],
  },
  {
    tag: 'PERSISTENCE_STARTUP_FOLDER',
    keywords: [['programs\\startup', 'programs\\\\startup', 'specialfolders("startup")']],
  },
  // Reading or starting existing tasks and services does not count.
  {
    tag: 'PERSISTENCE_CRON',
    keywords: [
      ['crontab -', '/etc/cron', '/var/spool/cron', '/etc/rc.local', '/etc/init.d/'],
      ['> /etc/', '>/etc/', '>/var/', '> /var/', 'tee ', '|crontab', '| crontab', 'cp ', 'mv '],
    ],
    within: 120,
  },
  {
    tag: 'DEFENDER_TAMPERING',
    keywords: [
      [
        'set-mppreference',
        'add-mppreference',
        'disablerealtimemonitoring',
        'disableantispyware',
        '-removedefinitions',
        'stop windefend',
        'config windefend',
        'delete windefend',
      ],
    ],
  },
  {
    tag: 'SHADOW_COPY_DELETION',
    keywords: [
      [
        'vssadmin delete',
        'vssadmin.exe delete',
        'shadowcopy delete',
        'win32_shadowcopy',
        'wbadmin delete',
      ],
    ],
  },
  {
    tag: 'SHELLCODE_LOADER',
    keywords: [
      ['virtualalloc', 'virtualprotect', 'ntallocatevirtualmemory'],
      ['createthread', 'getdelegateforfunctionpointer', 'createremotethread', 'enumsystemlocales'],
    ],
    // Manuals and wrappers of the whole interface have these names far apart.
    within: WITHIN_DECLARATIONS,
    kinds: ['powershell', 'vbs', 'vba', 'js', 'batch', 'shell', 'python', 'hta'],
  },
  {
    tag: 'EVAL_DECODED',
    keywords: [
      ['eval(unescape(', 'eval(atob(', 'eval(function(p,a,c,k', 'eval(string.fromcharcode('],
    ],
  },
  {
    tag: 'EVAL_DECODED',
    keywords: [['exec('], ['b64decode', 'marshal.loads', 'zlib.decompress', 'bytes.fromhex']],
    within: WITHIN_STATEMENT,
    kinds: ['python'],
  },
  {
    tag: 'EVAL_DECODED',
    keywords: [
      ['execute(', 'executeglobal'],
      ['strreverse', 'chr(', 'replace(', 'nodetypedvalue'],
    ],
    kinds: ['vbs', 'vba', 'hta'],
  },
  {
    tag: 'HTML_SMUGGLING',
    keywords: [
      ['createobjecturl', 'mssaveoropenblob'],
      ['atob(', 'uint8array', 'fromcharcode'],
      ['.download', 'mssaveoropenblob'],
    ],
    within: WITHIN_LINES,
  },
] as const satisfies readonly Trait<string>[];
