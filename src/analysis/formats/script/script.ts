import type { Subject } from '../../subject.ts';
import { defineFormat, type Findings } from '../format.ts';
import { nestCounted } from '../nest.ts';
import { kindOfScript, type ScriptKind } from './kind.ts';
import { findLayers, inflateLayer, type Layer } from './layers.ts';
import { countObfuscations, plainScript } from './plain.ts';
import { offsetIn, parseScriptText, type ScriptText } from './text.ts';
import { findTraits, type TraitTexts } from './traits.ts';

const TAGS = {
  SCRIPT_POWERSHELL: [1, 'A PowerShell script or command line'],
  SCRIPT_VBS: [1, 'A script in VBScript'],
  SCRIPT_VBA: [1, 'Source of a Visual Basic for Applications macro'],
  SCRIPT_JS: [1, 'A script in JavaScript or JScript'],
  SCRIPT_BATCH: [1, 'A batch file or command line of cmd.exe'],
  SCRIPT_SHELL: [1, 'A shell script'],
  SCRIPT_PYTHON: [1, 'A script in Python'],
  SCRIPT_HTA: [1, 'An HTML application, which runs outside of the browser sandbox'],
  HTML: [1, 'A web page'],
  ENCODED_COMMAND: [5, 'A PowerShell command encoded in base64'],
  ENCODED_PAYLOAD: [4, 'Contains an encoded text or file'],
  ENCODED_SCRIPT: [5, 'A script encoded by the Microsoft script encoder'],
  DOWNLOAD_CRADLE: [6, 'Downloads code and runs it'],
  AMSI_BYPASS: [7, 'Disables the Antimalware Scan Interface (AMSI) of Windows'],
  HIDDEN_WINDOW: [4, 'Runs without a visible window'],
  REFLECTIVE_LOAD: [6, 'Loads a .NET assembly from memory'],
  SHELLCODE_LOADER: [7, 'Writes machine code to memory and runs it'],
  EVAL_DECODED: [5, 'Decodes code and runs it'],
  HTML_SMUGGLING: [6, 'A web page that assembles a file and saves it'],
  PERSISTENCE_RUN_KEY: [5, 'Starts with Windows through a Run key'],
  PERSISTENCE_SCHTASKS: [5, 'Starts through a scheduled task'],
  PERSISTENCE_STARTUP_FOLDER: [5, 'Starts with Windows through the startup folder'],
  PERSISTENCE_CRON: [4, 'Starts through cron or an init script'],
  DEFENDER_TAMPERING: [6, 'Changes or stops Microsoft Defender'],
  SHADOW_COPY_DELETION: [7, 'Deletes the shadow copies (backups) of Windows'],
  OBFUSCATED_SCRIPT: [4, 'Consists mostly of escapes, concatenations and character codes'],
} as const;

type Tag = keyof typeof TAGS;

const KIND_TAGS: Readonly<Record<ScriptKind, Tag>> = {
  powershell: 'SCRIPT_POWERSHELL',
  vbs: 'SCRIPT_VBS',
  vba: 'SCRIPT_VBA',
  js: 'SCRIPT_JS',
  batch: 'SCRIPT_BATCH',
  shell: 'SCRIPT_SHELL',
  python: 'SCRIPT_PYTHON',
  hta: 'SCRIPT_HTA',
  html: 'HTML',
};
const MAX_LAYER_BYTES = 16 * 1024 * 1024;
const ENCODER_MARK = '#@~^';

export const script = defineFormat({
  name: 'script',
  tags: TAGS,

  matches(subject) {
    return kindOf(subject) !== undefined;
  },

  async inspect(subject, findings) {
    const read = subject.as(parseScriptText);
    const kind = kindOf(subject);
    if (read === undefined || kind === undefined) return;
    findings.tag(KIND_TAGS[kind], { offset: 0 });
    findings.facts({ kind, wide: read.unitBytes === 2, length: read.text.length });
    if (read.truncated) findings.limit('the text is longer than what is looked at');
    const plain = plainScript(read.text, kind);
    inspectTraits(read, { kind, plain: plain.text }, findings);
    const obfuscations = countObfuscations(read.text, plain.removed);
    if (obfuscations !== undefined) {
      findings.tag('OBFUSCATED_SCRIPT', { note: `${obfuscations} escapes, joints or codes` });
    }
    await inspectLayers(read, plain.text, findings);
  },
});

function kindOf(subject: Subject): ScriptKind | undefined {
  const read = subject.as(parseScriptText);
  if (read === undefined || isOtherFormat(read.text)) return undefined;
  return kindOfScript(read.text, subject.name);
}

/** Other text formats. */
export function isOtherFormat(text: string): boolean {
  return text.startsWith('%PDF-') || text.slice(0, 64).trimStart().startsWith('{\\rt');
}

function inspectTraits(
  read: ScriptText,
  { kind, plain }: Pick<TraitTexts, 'kind' | 'plain'>,
  findings: Findings<Tag>,
): void {
  const texts = { kind, text: read.text.toLowerCase(), plain: plain.toLowerCase() };
  for (const { tag, keyword, index } of findTraits(texts)) {
    const offset = index === undefined ? undefined : offsetIn(read, index);
    findings.tag(tag, { offset, note: keyword });
  }
  const encoded = read.text.indexOf(ENCODER_MARK);
  if (encoded !== -1) findings.tag('ENCODED_SCRIPT', { offset: offsetIn(read, encoded) });
}

async function inspectLayers(
  read: ScriptText,
  plain: string,
  findings: Findings<Tag>,
): Promise<void> {
  const { layers, cut } = findLayers(plain, read.text);
  if (cut) findings.limit('more encoded parts than are looked at');
  const mentionsDeflate = plain.toLowerCase().includes('deflatestream');
  for (const layer of layers) {
    if (findings.budget.isOver()) return;
    const limit = Math.min(MAX_LAYER_BYTES, findings.budget.bytesLeft);
    const content = await inflateLayer(layer.bytes, mentionsDeflate, limit);
    if (content.cut) findings.limit(`an encoded part unpacks to more than ${limit} bytes`);
    const isOriginal = plain === read.text || layer.encoding === 'escapes';
    const offset = isOriginal ? offsetIn(read, layer.index) : undefined;
    tagLayer(layer, offset, findings);
    if (!nestCounted(findings, nameOf(layer), narrow(layer, content.bytes))) return;
  }
}

function tagLayer(layer: Layer, offset: number | undefined, findings: Findings<Tag>): void {
  if (layer.encoding === 'encoded command') findings.tag('ENCODED_COMMAND', { offset });
  else findings.tag('ENCODED_PAYLOAD', { offset, note: layer.encoding });
}

function nameOf({ encoding }: Layer): string {
  return encoding === 'encoded command' ? 'encoded command.ps1' : `decoded ${encoding}`;
}

/** Commands are UTF-16; as UTF-8, rules match their words. */
function narrow({ encoding }: Layer, bytes: Buffer): Buffer {
  return encoding === 'encoded command' ? Buffer.from(bytes.toString('utf16le'), 'utf8') : bytes;
}
