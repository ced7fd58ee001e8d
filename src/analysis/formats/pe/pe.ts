import { defineFormat, type Findings } from '../format.ts';
import { nestCounted } from '../nest.ts';
import { CAPABILITY_TAGS, capabilitiesOf } from './capabilities.ts';
import { readDebug, readTlsCallbacks } from './directories.ts';
import { embeddedKindOf, isBlank, isBrokenMz, resourceKindOf } from './embedded.ts';
import { readExports } from './exports.ts';
import { factsOf } from './facts.ts';
import type { PeFile } from './file.ts';
import { DIRECTORY, isMz, readHeaders } from './headers.ts';
import { PeImage } from './image.ts';
import { ImportReader, imphashOf } from './imports.ts';
import { authentihashOf, checksumOf, overlayOf } from './layout.ts';
import { type PeResource, readResources } from './resources.ts';
import { readRich } from './rich.ts';
import { readSignature } from './signature.ts';
import * as traits from './traits.ts';
import { executionLevelOf, readVersionInfo } from './version.ts';

/** Reads a Portable Executable; `undefined` without the headers that make it one. */
export function parsePe(bytes: Buffer): PeFile | undefined {
  const headers = readHeaders(bytes);
  if (headers === undefined) return undefined;
  const image = new PeImage(bytes, headers);
  const importReader = new ImportReader(image);
  const imports = importReader.imports();
  const resources = readResources(image);
  const file = {
    ...headers,
    sections: image.sections,
    imports,
    delayImports: importReader.delayImports(),
    imphash: imphashOf(imports),
    exports: readExports(image),
    rich: readRich(image),
    resources,
    version: firstOf(image, resources, { type: 'VERSION', as: readVersionInfo }),
    executionLevel: firstOf(image, resources, { type: 'MANIFEST', as: executionLevelOf }),
    tlsCallbacks: readTlsCallbacks(image),
    debug: readDebug(image),
    overlay: overlayOf(image),
    computedChecksum: checksumOf(image),
    authentihash: authentihashOf(image, 'sha256'),
    signature: readSignature(image),
    com: image.directory(DIRECTORY.com),
    rvaToOffset: (rva: number) => image.rvaToOffset(rva),
  };
  noteDamage(image);
  return { ...file, malformed: [...image.malformed], truncated: [...image.truncated] };
}

function firstOf<Read>(
  image: PeImage,
  resources: readonly PeResource[],
  read: { type: string; as: (content: Buffer) => Read | undefined },
): Read | undefined {
  const resource = resources.find(({ type }) => type === read.type);
  return resource && read.as(image.reader.upTo(resource.offset, resource.size));
}

/** As many as the loader of older Windows takes. */
const USUAL_SECTIONS = 96;
const DOS_HEADER_BYTES = 0x40;

function noteDamage({ headers, sections, reader, malformed }: PeImage): void {
  if (headers.ntOffset < DOS_HEADER_BYTES) malformed.add('the headers overlap');
  if (headers.declaredSections > USUAL_SECTIONS) malformed.add('there are too many sections');
  if (sections.length < Math.min(headers.declaredSections, USUAL_SECTIONS)) {
    malformed.add('the section table is cut');
  }
  const isOutside = sections.some(
    ({ rawOffset, rawSize }) => rawSize > 0 && rawOffset + rawSize > reader.length,
  );
  if (isOutside) malformed.add('a section reaches beyond the file');
  if (headers.entryPoint > Math.max(headers.sizeOfImage, headers.sizeOfHeaders)) {
    malformed.add('the entry point lies outside of the image');
  }
}

const TAGS = {
  PE32: [1, 'A 32-bit program or library for Windows'],
  PE64: [1, 'A 64-bit program or library for Windows'],
  DLL: [1, 'A library for Windows'],
  DRIVER: [1, 'A driver for the Windows kernel'],
  EFI: [1, 'Firmware: a program or driver for UEFI'],
  DOTNET: [1, 'Made of .NET code'],
  DOS_EXECUTABLE: [1, 'A program for DOS or 16-bit Windows'],
  MALFORMED_PE: [3, 'The headers or tables of the program are damaged or lie'],
  SIGNED: [1, 'Has an Authenticode signature; it says nothing about whom to trust'],
  TIMESTAMPED: [1, 'The signature carries a countersigned time'],
  SELF_SIGNED: [3, 'Signed with a certificate that vouches for itself'],
  SIGNATURE_INVALID: [5, 'The signature is not the one of this file'],
  SIGNATURE_UNREADABLE: [3, 'There is a certificate table, but no signature in it'],
  CHECKSUM_WRONG: [2, 'The checksum in the header is not the one of this file'],
  RICH_HEADER_FORGED: [3, 'The list of build tools was edited or taken from elsewhere'],
  OVERLAY: [2, 'Something was appended behind the program'],
  PACKED: [3, 'A packer or protector has made this file'],
  UPX: [2, 'Packed with UPX'],
  ASPACK: [3, 'Packed with ASPack'],
  THEMIDA: [4, 'Protected with Themida or WinLicense'],
  VMPROTECT: [4, 'Protected with VMProtect'],
  MPRESS: [3, 'Packed with MPRESS'],
  ENIGMA: [4, 'Protected with Enigma Protector'],
  PECOMPACT: [3, 'Packed with PECompact'],
  NSPACK: [3, 'Packed with NsPack'],
  PETITE: [3, 'Packed with Petite'],
  HIGH_ENTROPY_SECTION: [3, 'Has a section that is compressed or encrypted'],
  WRITABLE_CODE: [3, 'Has a section that can be written and run'],
  TLS_CALLBACKS: [1, 'Runs code before its entry point'],
  NO_IMPORTS: [3, 'Imports nothing, so it finds the functions that it needs by itself'],
  FEW_IMPORTS: [2, 'Imports very little, so it may find other functions by itself'],
  REQUIRES_ADMIN: [2, 'Asks to be run as administrator'],
  RESOURCE_PE: [4, 'Carries another program in its resources'],
  RESOURCE_ARCHIVE: [2, 'Carries an archive or a document in its resources'],
  OVERLAY_PE: [4, 'Another program was appended behind it'],
  ...CAPABILITY_TAGS,
} as const;

type PeFindings = Findings<keyof typeof TAGS>;

export const pe = defineFormat({
  name: 'pe',
  tags: TAGS,

  matches(subject) {
    return isMz(subject.bytes);
  },

  inspect(subject, findings) {
    const file = subject.as(parsePe);
    if (file === undefined) {
      findings.tag(isBrokenMz(subject.bytes) ? 'MALFORMED_PE' : 'DOS_EXECUTABLE', { offset: 0 });
      return;
    }
    findings.facts(factsOf(file));
    for (const what of file.truncated) findings.limit(`not all ${what} were read`);
    for (const note of file.malformed) findings.tag('MALFORMED_PE', { note });
    tagKind(file, findings);
    tagSignature(file, findings);
    tagBuild(file, findings);
    tagImports(file, findings);
    lookInside(file, subject.bytes, findings);
  },
});

function tagKind(file: PeFile, findings: PeFindings): void {
  findings.tag(file.is64 ? 'PE64' : 'PE32', { offset: file.ntOffset });
  if (traits.isDll(file)) findings.tag('DLL', { offset: file.ntOffset + 22 });
  if (traits.isDriver(file)) findings.tag('DRIVER');
  if (traits.isEfi(file)) findings.tag('EFI');
  if (file.com !== undefined) findings.tag('DOTNET', { offset: file.rvaToOffset(file.com.rva) });
}

function tagSignature({ signature }: PeFile, findings: PeFindings): void {
  if (signature === undefined) return;
  if (signature === 'unreadable') {
    findings.tag('SIGNATURE_UNREADABLE');
    return;
  }
  const { offset, signer } = signature;
  findings.tag('SIGNED', { offset, note: signer?.subject });
  if (signature.isTimestamped) findings.tag('TIMESTAMPED', { offset });
  if (signer?.isSelfSigned === true) findings.tag('SELF_SIGNED', { offset, note: signer.subject });
  if (!signature.isDigestRight) {
    findings.tag('SIGNATURE_INVALID', { offset, note: 'the file was changed after signing' });
  } else if (signature.isSignatureRight === false) {
    findings.tag('SIGNATURE_INVALID', { offset, note: 'not signed with the certificate it names' });
  }
}

function tagBuild(file: PeFile, findings: PeFindings): void {
  for (const { packer, section } of traits.packersOf(file)) {
    const seen = { offset: section.rawOffset, note: `section ${section.name}` };
    findings.tag(packer, seen);
    findings.tag('PACKED', seen);
  }
  const dense = traits.denseSectionOf(file);
  if (dense !== undefined) {
    const note = `section ${dense.name}, ${dense.entropy?.toFixed(2)} bits per byte`;
    findings.tag('HIGH_ENTROPY_SECTION', { offset: dense.rawOffset, note });
  }
  const writable = traits.writableCodeOf(file);
  if (writable !== undefined) {
    findings.tag('WRITABLE_CODE', { offset: writable.rawOffset, note: `section ${writable.name}` });
  }
  if (file.checksum !== 0 && file.checksum !== file.computedChecksum) {
    findings.tag('CHECKSUM_WRONG', { offset: file.optionalOffset + 64 });
  }
  if (file.rich?.isChecksumRight === false) {
    findings.tag('RICH_HEADER_FORGED', { offset: file.rich.offset });
  }
  if (file.tlsCallbacks.count > 0) {
    findings.tag('TLS_CALLBACKS', { offset: file.tlsCallbacks.offset });
  }
  if (file.executionLevel === 'requireAdministrator') findings.tag('REQUIRES_ADMIN');
}

function tagImports(file: PeFile, findings: PeFindings): void {
  const scarce = traits.scarceImportsOf(file);
  if (scarce !== undefined) findings.tag(scarce === 'none' ? 'NO_IMPORTS' : 'FEW_IMPORTS');
  // The kernel's functions of the same names are a driver's everyday tools.
  if (traits.isDriver(file)) return;
  for (const { tag, functions, offset } of capabilitiesOf(file)) {
    findings.tag(tag, { offset, note: functions.join(', ') });
  }
}

function lookInside(file: PeFile, bytes: Buffer, findings: PeFindings): void {
  const { overlay } = file;
  if (overlay !== undefined) {
    const content = bytes.subarray(overlay.offset, overlay.offset + overlay.size);
    const seen = { offset: overlay.offset, note: `${overlay.size} bytes` };
    if (!isBlank(content)) findings.tag('OVERLAY', seen);
    const kind = embeddedKindOf(content);
    if (kind === 'pe') findings.tag('OVERLAY_PE', seen);
    if (kind !== undefined) nestCounted(findings, 'overlay', content);
  }
  const looked = new Set<number>();
  for (const resource of file.resources) {
    if (looked.has(resource.offset)) continue;
    looked.add(resource.offset);
    if (!lookAtResource(resource, bytes, findings)) break;
  }
}

/** `false` when there is no room for more. */
function lookAtResource(resource: PeResource, bytes: Buffer, findings: PeFindings): boolean {
  const content = bytes.subarray(resource.offset, resource.offset + resource.size);
  const kind = resourceKindOf(content);
  if (kind === undefined) return true;
  const name = `${resource.type}/${resource.name}`;
  findings.tag(kind === 'pe' ? 'RESOURCE_PE' : 'RESOURCE_ARCHIVE', {
    offset: resource.offset,
    note: name,
  });
  return nestCounted(findings, name, content);
}
