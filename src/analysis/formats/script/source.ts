import type { Subject } from '../../subject.ts';
import { defineFormat } from '../format.ts';
import { nestCounted } from '../nest.ts';
import { byteLayers, hasMagic } from './layers.ts';
import { isOtherFormat, script } from './script.ts';
import { offsetIn, parseScriptText } from './text.ts';

const TAGS = { ENCODED_PAYLOAD: [4, 'Contains an encoded text or file'] } as const;

/** Tables of numbers in data files are decimal. */
const WRITTEN_BYTES = /0x[0-9a-f]{1,2}\s?,|\\x[0-9a-f]{2}\\x[0-9a-f]{2}/i;

/**
 * Source text in a language that is not run as a script, such as C or C#, and pasted parts of it.
 * Programs, archives and shellcode that it embeds as lists of bytes or as escapes are nested.
 */
export const source = defineFormat({
  name: 'source',
  tags: TAGS,

  matches: (subject) => textOf(subject) !== undefined,

  inspect(subject, findings) {
    const read = textOf(subject);
    if (read === undefined) return;
    for (const { bytes, encoding, index } of byteLayers(read.text)) {
      if (!hasMagic(bytes)) continue;
      findings.tag('ENCODED_PAYLOAD', { offset: offsetIn(read, index), note: encoding });
      if (!nestCounted(findings, `decoded ${encoding}`, bytes)) return;
    }
  },
});

function textOf(subject: Subject) {
  const read = subject.as(parseScriptText);
  if (read === undefined || !WRITTEN_BYTES.test(read.text) || isOtherFormat(read.text))
    return undefined;
  return script.matches(subject) ? undefined : read;
}
