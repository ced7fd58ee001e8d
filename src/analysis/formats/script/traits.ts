import type { ScriptKind } from './kind.ts';

/** What a script does, told by words. One of each list must be there. */
interface Trait<Tag extends string> {
  readonly tag: Tag;
  readonly words: readonly (readonly string[])[];
  /** So many characters may lie between them: a long script has many words by chance. */
  readonly within?: number;
  /** Languages in which the words mean this; all where there is none. */
  readonly kinds?: readonly ScriptKind[];
}

/** A statement or two. */
const CLOSE = 300;
/** A few lines, or what stands between the download of a file and its start. */
const NEAR = 1024;

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

/** Web pages use these as well: what runs the answer has to be something that no page has. */
const REQUESTS = [
  'msxml2.xmlhttp',
  'msxml2.serverxmlhttp',
  'microsoft.xmlhttp',
  'winhttp.winhttprequest',
];

const RUNNERS = [
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

const WINDOWS_RUNNERS = [
  'wscript.shell',
  'shell.application',
  'adodb.stream',
  'shellexecute',
  'shell(',
  'executeglobal',
];

export type TraitTag = (typeof TRAITS)[number]['tag'];

const TRAITS = [
  { tag: 'DOWNLOAD_CRADLE', words: [DOWNLOADERS, RUNNERS], within: NEAR },
  { tag: 'DOWNLOAD_CRADLE', words: [REQUESTS, WINDOWS_RUNNERS] },
  { tag: 'DOWNLOAD_CRADLE', words: [['mshta http', 'mshta.exe http', 'scrobj.dll']] },
  {
    tag: 'DOWNLOAD_CRADLE',
    words: [
      ['urllib.request', 'urlopen(', 'requests.get('],
      ['exec(', 'os.system(', 'popen('],
    ],
    within: CLOSE,
    kinds: ['python'],
  },
  {
    tag: 'AMSI_BYPASS',
    words: [['amsiutils', 'amsiinitfailed', 'amsiscanbuffer', 'amsicontext', 'amsi.dll']],
  },
  {
    tag: 'HIDDEN_WINDOW',
    words: [
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
  // The second argument of Run is how the window is shown.
  {
    tag: 'HIDDEN_WINDOW',
    words: [['wscript.shell'], [', 0, false', ',0,false', ', 0, true', ',0,true', ', vbhide']],
  },
  {
    tag: 'REFLECTIVE_LOAD',
    words: [
      ['reflection.assembly]::load(', 'assembly]::load(', 'currentdomain.load(', 'assembly.load('],
    ],
  },
  { tag: 'PERSISTENCE_RUN_KEY', words: [['currentversion\\run', 'currentversion\\\\run']] },
  {
    tag: 'PERSISTENCE_SCHTASKS',
    words: [
      ['schtasks /create', 'schtasks.exe /create', 'register-scheduledtask', 'schedule.service'],
    ],
  },
  {
    tag: 'PERSISTENCE_STARTUP_FOLDER',
    words: [['programs\\startup', 'programs\\\\startup', 'specialfolders("startup")']],
  },
  // To read or start what is there already is nothing.
  {
    tag: 'PERSISTENCE_CRON',
    words: [
      ['crontab -', '/etc/cron', '/var/spool/cron', '/etc/rc.local', '/etc/init.d/'],
      ['> /etc/', '>/etc/', '>/var/', '> /var/', 'tee ', '|crontab', '| crontab', 'cp ', 'mv '],
    ],
    within: 120,
  },
  {
    tag: 'DEFENDER_TAMPERING',
    words: [
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
    words: [
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
    words: [
      ['virtualalloc', 'virtualprotect', 'ntallocatevirtualmemory'],
      ['createthread', 'getdelegateforfunctionpointer', 'createremotethread', 'enumsystemlocales'],
    ],
  },
  {
    tag: 'EVAL_DECODED',
    words: [['eval(unescape(', 'eval(atob(', 'eval(function(p,a,c,k', 'eval(string.fromcharcode(']],
  },
  {
    tag: 'EVAL_DECODED',
    words: [['exec('], ['b64decode', 'marshal.loads', 'zlib.decompress', 'bytes.fromhex']],
    within: CLOSE,
    kinds: ['python'],
  },
  {
    tag: 'EVAL_DECODED',
    words: [
      ['execute(', 'executeglobal'],
      ['strreverse', 'chr(', 'replace(', 'nodetypedvalue'],
    ],
    kinds: ['vbs', 'vba', 'hta'],
  },
  {
    tag: 'HTML_SMUGGLING',
    words: [
      ['createobjecturl', 'mssaveoropenblob'],
      ['atob(', 'uint8array', 'fromcharcode'],
      ['.download', 'mssaveoropenblob'],
    ],
    within: NEAR,
  },
] as const satisfies readonly Trait<string>[];

export interface FoundTrait {
  readonly tag: TraitTag;
  readonly word: string;
  /** In the text as it stands; absent where a disguise had to come off first. */
  readonly place: number | undefined;
}

/** What the traits are looked for in: the text as it stands and with its disguises off, both in lower case. */
export interface TraitTexts {
  readonly kind: ScriptKind;
  readonly text: string;
  readonly plain: string;
}

export function findTraits({ kind, text, plain }: TraitTexts): readonly FoundTrait[] {
  const found: FoundTrait[] = [];
  for (const trait of TRAITS as readonly Trait<TraitTag>[]) {
    if (trait.kinds?.includes(kind) === false) continue;
    const { tag } = trait;
    const plainly = findTrait(trait, text);
    if (plainly !== undefined) found.push({ tag, ...plainly });
    else if (plain !== text) {
      const word = findTrait(trait, plain)?.word;
      if (word !== undefined) found.push({ tag, word, place: undefined });
    }
  }
  return found;
}

interface Found {
  readonly word: string;
  readonly place: number;
}

function findTrait({ words, within }: Trait<TraitTag>, text: string): Found | undefined {
  const firsts = words.map((list) => findAny(list, text));
  if (firsts.includes(undefined)) return undefined;
  return within === undefined ? firsts[0] : findTogether(words, text, within);
}

function findAny(words: readonly string[], text: string): Found | undefined {
  for (const word of words) {
    const place = placeOf(text, word, 0);
    if (place !== -1) return { word: word.trim(), place };
  }
  return undefined;
}

/** The first of the first list that has one of each other list close to it. */
function findTogether(
  lists: readonly (readonly string[])[],
  text: string,
  within: number,
): Found | undefined {
  const all = lists.flatMap((words, list) =>
    words.flatMap((word) => placesOf(text, word).map((place) => ({ list, word, place }))),
  );
  all.sort((one, other) => one.place - other.place);
  const latest: (Found | undefined)[] = lists.map(() => undefined);
  for (const { list, word, place } of all) {
    latest[list] = { word: word.trim(), place };
    const isClose = (each: Found | undefined) => each !== undefined && place - each.place <= within;
    if (latest.every(isClose)) return latest[0];
  }
  return undefined;
}

function placesOf(text: string, word: string): number[] {
  const places: number[] = [];
  for (let at = placeOf(text, word, 0); at !== -1; at = placeOf(text, word, at + word.length))
    places.push(at);
  return places;
}

/** Not as the end of a longer word: `iex` is not in `pixiex`. */
function placeOf(text: string, word: string, from: number): number {
  const whole = isWordCode(word.charCodeAt(0));
  const bare = isWordCode(word.charCodeAt(word.length - 1)) && word.length < 5;
  for (let at = text.indexOf(word, from); at !== -1; at = text.indexOf(word, at + 1)) {
    const before = whole && at > 0 && isWordCode(text.charCodeAt(at - 1));
    const behind = bare && isWordCode(text.charCodeAt(at + word.length));
    if (!before && !behind) return at;
  }
  return -1;
}

function isWordCode(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x5f
  );
}
