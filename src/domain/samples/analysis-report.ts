/** The result of the static analysis of one file. Digests are lower-case hexadecimal. */
export interface AnalysisReport {
  readonly date: Date;
  readonly tags: readonly HeatTag[];
  readonly ssdeep: string;
  /** Settings of the malware, by upper-case family name, most certain first. */
  readonly configs: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly md5: string;
  readonly sha1: string;
  readonly sha256: string;
  readonly sha512: string;
  readonly blake3: string;
  readonly fileName: string;
  readonly sizeBytes: number;
  /** As text: `HH:MM:SS.fffffff` if this service measured it. */
  readonly duration: string;
}

export interface HeatTag {
  /** 1 (a neutral fact) to 10 (an exactly identified family). */
  readonly heat: number;
  readonly name: string;
}

/** Names in `configs` that are not families: the settings were found, but not their owner. */
export const UNKNOWN_FAMILIES: ReadonlySet<string> = new Set(['GENERIC', 'PYINSTALLER']);

/** Tags of at least this heat name a family. */
const MIN_FAMILY_HEAT = 9;

/** The family of a file: the first of `configs`, else the hottest tag that names a family. */
export function familyOf(report: Pick<AnalysisReport, 'configs' | 'tags'>): string | undefined {
  const family = Object.keys(report.configs).find((name) => !UNKNOWN_FAMILIES.has(name));
  if (family !== undefined) return family;
  let hottest: HeatTag | undefined;
  for (const tag of report.tags) {
    if (tag.heat >= MIN_FAMILY_HEAT && tag.heat > (hottest?.heat ?? 0)) hottest = tag;
  }
  return hottest?.name;
}

/** The family of a C2: that of the settings that name it, else that of the whole file. */
export function familyOfC2(
  settings: string | undefined,
  file: string | undefined,
): string | undefined {
  return settings === undefined || UNKNOWN_FAMILIES.has(settings) ? file : settings;
}
