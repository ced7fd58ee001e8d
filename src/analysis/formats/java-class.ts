import { defineFormat } from './format.ts';
import { machKind } from './macho/layout.ts';

/**
 * A compiled Java class: big-endian u32 `cafebabe`, u16 minor and u16 major version (Java Virtual
 * Machine Specification, chapter 4). It shares its first bytes with universal Mach-O files.
 */
export const javaClass = defineFormat({
  name: 'java-class',
  tags: { JAVA_CLASS: [1, 'A compiled Java class'] },
  isPart: true,

  matches: ({ bytes }) => machKind(bytes) === 'java-class',

  inspect({ bytes }, findings) {
    const major = bytes.readUInt16BE(6);
    findings.tag('JAVA_CLASS', { offset: 0 });
    // Release 1.1 is 45, and each later release one more.
    findings.facts({ version: `${major}.${bytes.readUInt16BE(4)}`, release: major - 44 });
  },
});
