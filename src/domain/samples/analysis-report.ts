/** What our static analysis says of one file. Digests are lower-case hexadecimal. */
export interface AnalysisReport {
  readonly date: Date;
  readonly tags: readonly HeatTag[];
  readonly ssdeep: string;
  /** Settings found in the file, by upper-case family name, most certain first. */
  readonly configs: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly md5: string;
  readonly sha1: string;
  readonly sha256: string;
  readonly sha512: string;
  readonly blake3: string;
  readonly fileName: string;
  readonly sizeBytes: number;
  /** As text, `HH:MM:SS.fffffff` where we measured it ourselves. */
  readonly duration: string;
}

export interface HeatTag {
  /** 1 (a neutral fact) to 10 (an exactly identified family). */
  readonly heat: number;
  readonly name: string;
}

/** Settings under these names were found without knowing whose they are. */
export const UNKNOWN_FAMILIES: ReadonlySet<string> = new Set(['GENERIC', 'PYINSTALLER']);

/** From this heat on a tag names a family. */
const FAMILY_HEAT = 9;

/** What a file is called after its analysis: its first family, else its hottest tag that names one. */
export function familyOf(report: Pick<AnalysisReport, 'configs' | 'tags'>): string | undefined {
  const family = Object.keys(report.configs).find((name) => !UNKNOWN_FAMILIES.has(name));
  if (family !== undefined) return family;
  let hottest: HeatTag | undefined;
  for (const tag of report.tags) {
    if (tag.heat >= FAMILY_HEAT && tag.heat > (hottest?.heat ?? 0)) hottest = tag;
  }
  return hottest?.name;
}
