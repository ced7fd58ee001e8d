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
import { ImportReader, imphashOf } from './imports/imports.ts';
import { authentihashOf, checksumOf, overlayOf } from './layout.ts';
import { type PeResource, readResources } from './resources.ts';
import { readRich } from './rich.ts';
import { readSignature } from './signature.ts';
import * as traits from './traits.ts';
import { executionLevelOf, readVersionInfo } from './version.ts';

/** Parses a Portable Executable; `undefined` without valid headers. */
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

/** The limit of the loader of older Windows versions. */
const MAX_LOADABLE_SECTIONS = 96;
const DOS_HEADER_BYTES = 0x40;

function noteDamage({ headers, sections, reader, malformed }: PeImage): void {
  if (headers.ntOffset < DOS_HEADER_BYTES) malformed.add('the headers overlap');
  if (headers.declaredSections > MAX_LOADABLE_SECTIONS)
    malformed.add('there are too many sections');
  if (sections.length < Math.min(headers.declaredSections, MAX_LOADABLE_SECTIONS)) {
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
  DOTNET: [1, 'A .NET program or library'],
  DOS_EXECUTABLE: [1, 'A program for DOS or 16-bit Windows'],
  MALFORMED_PE: [3, 'Headers or tables of the program are damaged or contradictory'],
  SIGNED: [1, 'Has an Authenticode signature; the certificate chain is not verified'],
  TIMESTAMPED: [1, 'The signature has a countersigned timestamp'],
  SELF_SIGNED: [3, 'Signed with a self-signed certificate'],
  SIGNATURE_INVALID: [5, 'The signature does not match the file'],
  SIGNATURE_HIDES_DATA: [4, 'Hides data in the certificate table, beside the signature'],
  SIGNATURE_UNREADABLE: [3, 'The certificate table contains no valid signature'],
  CHECKSUM_WRONG: [2, 'The checksum in the header does not match the file'],
  RICH_HEADER_FORGED: [3, 'The list of build tools was edited or copied from another file'],
  OVERLAY: [2, 'Has data appended to the program'],
  PACKED: [3, 'Created by a packer or protector'],
  UPX: [2, 'Packed with UPX'],
  ASPACK: [3, 'Packed with ASPack'],
  THEMIDA: [4, 'Protected with Themida or WinLicense'],
  VMPROTECT: [4, 'Protected with VMProtect'],
  MPRESS: [3, 'Packed with MPRESS'],
  ENIGMA: [4, 'Protected with Enigma Protector'],
  PECOMPACT: [3, 'Packed with PECompact'],
  NSPACK: [3, 'Packed with NsPack'],
  PETITE: [3, 'Packed with Petite'],
  HIGH_ENTROPY_SECTION: [3, 'Has a section that is probably compressed or encrypted'],
  WRITABLE_CODE: [3, 'Has a section that is both writable and executable'],
  TLS_CALLBACKS: [1, 'Runs code before its entry point'],
  NO_IMPORTS: [3, 'Has no imports, so it resolves functions itself'],
  FEW_IMPORTS: [2, 'Has very few imports, so it may resolve functions itself'],
  REQUIRES_ADMIN: [2, 'Requests administrator rights'],
  RESOURCE_PE: [4, 'Has another program in its resources'],
  RESOURCE_ARCHIVE: [2, 'Has an archive or a document in its resources'],
  OVERLAY_PE: [4, 'Has another program appended to it'],
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
    for (const part of file.truncated) findings.limit(`not all ${part} were read`);
    for (const note of file.malformed) findings.tag('MALFORMED_PE', { note });
    tagKind(file, findings);
    tagSignature(file, findings);
    tagBuild(file, findings);
    tagImports(file, findings);
    nestContent(file, subject.bytes, findings);
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
  for (const { offset: at, size, location } of signature.hidden ?? [])
    findings.tag('SIGNATURE_HIDES_DATA', { offset: at, note: `${size} bytes ${location}` });
  if (!signature.isDigestRight) {
    findings.tag('SIGNATURE_INVALID', { offset, note: 'the file was changed after signing' });
  } else if (signature.isSignatureRight === false) {
    findings.tag('SIGNATURE_INVALID', { offset, note: 'not signed with the certificate it names' });
  }
}

function tagBuild(file: PeFile, findings: PeFindings): void {
  for (const { packer, section } of traits.packersOf(file)) {
    const evidence = { offset: section.rawOffset, note: `section ${section.name}` };
    findings.tag(packer, evidence);
    findings.tag('PACKED', evidence);
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
  // Drivers regularly use the kernel functions of the same names.
  if (traits.isDriver(file)) return;
  for (const { tag, functions, offset } of capabilitiesOf(file)) {
    findings.tag(tag, { offset, note: functions.join(', ') });
  }
}

function nestContent(file: PeFile, bytes: Buffer, findings: PeFindings): void {
  const { overlay } = file;
  if (overlay !== undefined) {
    const content = bytes.subarray(overlay.offset, overlay.offset + overlay.size);
    const evidence = { offset: overlay.offset, note: `${overlay.size} bytes` };
    if (!isBlank(content)) findings.tag('OVERLAY', evidence);
    const kind = embeddedKindOf(content);
    if (kind === 'pe') findings.tag('OVERLAY_PE', evidence);
    if (kind !== undefined) nestCounted(findings, 'overlay', content);
  }
  nestHidden(file, bytes, findings);
  const inspected = new Set<number>();
  for (const resource of file.resources) {
    if (inspected.has(resource.offset)) continue;
    inspected.add(resource.offset);
    if (!inspectResource(resource, bytes, findings)) break;
  }
}

/** Programs and archives in the certificate table. */
function nestHidden({ signature }: PeFile, bytes: Buffer, findings: PeFindings): void {
  if (typeof signature !== 'object') return;
  for (const { offset, size } of signature.hidden ?? []) {
    const content = bytes.subarray(offset, offset + size);
    if (embeddedKindOf(content) !== undefined) nestCounted(findings, 'certificate table', content);
  }
}

/** `false` if the budget is exhausted. */
function inspectResource(resource: PeResource, bytes: Buffer, findings: PeFindings): boolean {
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
