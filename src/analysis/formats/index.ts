import { compressed } from './archive/compressed.ts';
import { archive } from './archive/seven.ts';
import { tar } from './archive/tar.ts';
import { zip } from './archive/zip.ts';
import { dotnet } from './dotnet/dotnet.ts';
import { elf } from './elf/elf.ts';
import { encoded } from './encoded/encoded.ts';
import type { Format } from './format.ts';
import { javaClass } from './java-class.ts';
import { lnk } from './lnk/lnk.ts';
import { macho } from './macho/macho.ts';
import { ole } from './ole/ole.ts';
import { ooxmlRelations } from './ooxml.ts';
import { pdf } from './pdf/pdf.ts';
import { pe } from './pe/pe.ts';
import { pyinstaller } from './pyinstaller/pyinstaller.ts';
import { rtf } from './rtf/rtf.ts';
import { script } from './script/script.ts';
import { source } from './script/source.ts';
import { upx } from './upx/upx.ts';

/** Every format, in the order in which they inspect a subject. */
export const formats: readonly Format[] = [
  ...[pe, dotnet, elf, upx, macho, javaClass],
  ...[zip, tar, compressed, archive, pyinstaller],
  ...[ole, ooxmlRelations, rtf, pdf, lnk, script, source, encoded],
];
