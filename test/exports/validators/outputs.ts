import type { Exporter } from '../../../src/exports/exporter.ts';
import { type ExportCase, validatedCases } from '../cases.ts';
import { exportText, optionSets } from '../reports.ts';

export interface Output extends ExportCase {
  /** The case and the options, as part of the name of a file. */
  readonly label: string;
  readonly options: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Every case in the format, with every option. */
export function outputsOf(
  exporter: Exporter,
  cases: readonly ExportCase[] = validatedCases(),
): readonly Output[] {
  return cases.flatMap((one) =>
    optionSets(exporter).map((options) => ({
      ...one,
      label: [one.name, ...Object.values(options)].join('-').replaceAll(':', '-'),
      options,
      text: exportText(exporter, one.reports, { ...one.context, options }),
    })),
  );
}

/** The lines without comments. */
export function linesOf(text: string, commentSign = '#'): readonly string[] {
  return text.split('\n').filter((line) => line !== '' && !line.startsWith(commentSign));
}
