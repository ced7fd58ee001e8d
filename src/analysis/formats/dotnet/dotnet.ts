import type { Facts } from '../../../domain/samples/analysis.ts';
import { printableText } from '../../printable-text.ts';
import { defineFormat, type Findings, type TagMeaning } from '../format.ts';
import { nestCounted } from '../nest.ts';
import { type DotnetFile, parseDotnet } from './file.ts';
import { readImage } from './image.ts';
import { type PlatformCall, platformCalls } from './members.ts';
import { type DotnetResource, resourcesOf, valuesOf } from './resources.ts';
import { TABLE } from './schema.ts';
import {
  amsiBypass,
  injectionCalls,
  keyloggingCalls,
  loadsFromBytes,
  obfuscatorOf,
  typeLibraryId,
} from './traits.ts';

const tags = {
  DOTNET: [1, 'A program or library for the .NET runtime'],
  DOTNET_MIXED_MODE: [1, 'Contains native code in addition to .NET code'],
  DOTNET_OBFUSCATED: [3, 'Has the marker of an obfuscator, or most of its names are unreadable'],
  DOTNET_REFLECTION_LOAD: [4, 'Can load another program from memory (Assembly.Load of bytes)'],
  DOTNET_RESOURCE_PE: [4, 'Has a Windows program in its resources'],
  PINVOKE_INJECTION: [7, 'Imports functions that write to another process and run code there'],
  PINVOKE_KEYLOGGING: [5, 'Imports functions that read the keyboard and the active window'],
  AMSI_BYPASS: [7, 'Names the Antimalware Scan Interface and makes code writable'],
  MALFORMED_DOTNET: [3, 'Metadata contradicts itself or the file'],
} as const satisfies Readonly<Record<string, TagMeaning>>;

type Tag = keyof typeof tags;

const SHOWN = 100;
const SHOWN_TEXT = 256;
const MAX_NESTED = 100;
const IL_ONLY = 1;

/**
 * Programs for the .NET runtime (ECMA-335): names, references, resources and calls into native
 * code.
 */
export const dotnet = defineFormat({
  name: 'dotnet',
  tags,

  matches: (subject) => readImage(subject.bytes) !== undefined,

  inspect(subject, findings) {
    const file = subject.as(parseDotnet);
    if (file === undefined) {
      findings.tag('MALFORMED_DOTNET', { note: 'a CLI header, but no metadata behind it' });
      return;
    }
    const { cli } = file.image;
    const calls = platformCalls(file);
    const resources = resourcesOf(file);
    findings.tag('DOTNET', { offset: cli.offset, note: shown(file.metadata.version) });
    if ((cli.flags & IL_ONLY) === 0) findings.tag('DOTNET_MIXED_MODE', { offset: cli.offset });
    findings.facts(describe(file, calls, resources));
    for (const note of file.oddities.slice(0, 4)) {
      findings.tag('MALFORMED_DOTNET', { offset: file.metadata.offset, note: shown(note) });
    }
    for (const note of file.truncated) findings.limit(note);
    inspectTraits(file, calls, findings);
    nestResources(resources, findings);
  },
});

function inspectTraits(
  file: DotnetFile,
  calls: readonly PlatformCall[],
  findings: Findings<Tag>,
): void {
  const tagIf = (tag: Tag, note: string | undefined) => {
    if (note !== undefined && note !== '') findings.tag(tag, { note: shown(note) });
  };
  tagIf('DOTNET_OBFUSCATED', obfuscatorOf(file));
  tagIf('DOTNET_REFLECTION_LOAD', loadsFromBytes(file));
  tagIf('PINVOKE_INJECTION', injectionCalls(calls).join(', '));
  tagIf('PINVOKE_KEYLOGGING', keyloggingCalls(calls).join(', '));
  tagIf('AMSI_BYPASS', amsiBypass(file, calls));
}

/** Nests the values of a container instead of the container. */
function nestResources(resources: readonly DotnetResource[], findings: Findings<Tag>): void {
  const contents = resources.flatMap((resource) => {
    const values = valuesOf(resource);
    if (values.length === 0) return [resource];
    return values.map((value) => ({ ...value, name: `${resource.name}/${value.name}` }));
  });
  if (contents.length > MAX_NESTED) {
    findings.limit(`${MAX_NESTED} of ${contents.length} resources looked into`);
  }
  for (const { name, offset, bytes } of contents.slice(0, MAX_NESTED)) {
    if (isProgram(bytes)) findings.tag('DOTNET_RESOURCE_PE', { offset, note: shown(name) });
    if (!nestCounted(findings, name, bytes)) return;
  }
}

function isProgram(bytes: Buffer): boolean {
  if (bytes.length < 0x40 || bytes.readUInt16LE(0) !== 0x5a4d) return false;
  const at = bytes.readUInt32LE(0x3c);
  return at + 4 <= bytes.length && bytes.readUInt32LE(at) === 0x4550;
}

function describe(
  file: DotnetFile,
  calls: readonly PlatformCall[],
  resources: readonly DotnetResource[],
): Facts {
  const { image, metadata, assembly } = file;
  const count = (table: number) => metadata.tables.count(table);
  return {
    ...(assembly && { assembly: shown(assembly.name), version: assembly.version }),
    module: shown(file.module.name),
    mvid: file.module.mvid ?? null,
    typeLibraryId: typeLibraryId(file) ?? null,
    runtime: shown(metadata.version),
    entryPoint: entryPointOf(file),
    isStrongNamed: image.cli.strongName.size > 0,
    counts: {
      types: count(TABLE.typeDef),
      methods: count(TABLE.method),
      fields: count(TABLE.field),
      memberReferences: count(TABLE.memberRef),
      customAttributes: count(TABLE.customAttribute),
    },
    streams: metadata.streams.slice(0, SHOWN).map(({ name }) => shown(name)),
    references: file.references
      .slice(0, SHOWN)
      .map(({ name, version }) => `${shown(name)} ${version}`),
    platformCalls: calls
      .slice(0, SHOWN)
      .map(({ library, name }) => `${shown(library)}!${shown(name)}`),
    resources: resources
      .slice(0, SHOWN)
      .map(({ name, offset, bytes }) => ({ name: shown(name), offset, sizeBytes: bytes.length })),
  };
}

function entryPointOf(file: DotnetFile): string | null {
  if (file.entryPoint >>> 24 !== TABLE.method) return null;
  const method = file.methods[(file.entryPoint & 0xffffff) - 1];
  return method === undefined ? null : `${shown(method.type)}::${shown(method.name)}`;
}

function shown(text: string): string {
  return printableText(text, SHOWN_TEXT);
}
