import { z } from 'zod';
import { invalid, Problem } from '../../domain/problem.ts';
import type { Exporter } from '../../exports/exporter.ts';
import { EXPORTERS } from '../../exports/index.ts';
import { C2_TWICE, filters, namesC2Once } from './feed-query.ts';
import { field, strictObject } from './field-rules.ts';
import { serviceParams } from './parameters.ts';

const FORMATS = EXPORTERS.map(({ format }) => format);

export const exportOfAllParams = z.object({
  format: z.string().meta({
    description: `The format: one of ${FORMATS.join(', ')}`,
    examples: ['ndjson'],
    enum: FORMATS,
  }),
});

export const exportParams = serviceParams.extend(exportOfAllParams.shape);

/** The filters of lists, and the options of all formats. */
export const exportQuery = strictObject({ ...filters, ...optionFields() }).refine(namesC2Once, {
  error: C2_TWICE,
});

/** The handler checks the value, which is not the same for every format. */
function optionFields(): Readonly<Record<string, z.ZodOptional<z.ZodString>>> {
  const formats = EXPORTERS.flatMap(({ format, options = {} }) =>
    Object.entries(options).map(([name, values]) => ({
      name,
      text: `${format}: ${values.join(', ')}`,
      values,
    })),
  );
  const byName = Map.groupBy(formats, ({ name }) => name);
  return Object.fromEntries(
    [...byName].map(([name, found]) => {
      const rule = `an option of the format, given once. ${found.map(({ text }) => text).join('; ')}`;
      const values = [...new Set(found.flatMap((one) => one.values))];
      return [name, field(rule, z.string().meta({ enum: values }).optional())];
    }),
  );
}

export function findExporter(format: string): Exporter {
  const found = EXPORTERS.find((exporter) => exporter.format === format);
  if (found !== undefined) return found;
  throw new Problem('unknown_format', { parameters: { formats: FORMATS.join(', ') } });
}

/** All options of a format: those of the query, and the defaults of the others. */
export function readOptions(
  { format, options = {} }: Exporter,
  query: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  const names = Object.keys(options);
  const others = Object.keys(query).filter(
    (name) => !Object.hasOwn(filters, name) && !names.includes(name),
  );
  const known = names.length === 0 ? 'it has none' : `its options are ${names.join(', ')}`;
  const problems = others.map((name) => `${name} is not an option of ${format}; ${known}.`);
  const entries = Object.entries(options).map(([name, values]) => {
    const value = query[name] ?? values[0];
    if (!values.some((one) => one === value))
      problems.push(`${name} of ${format} must be one of ${values.join(', ')}.`);
    return [name, value];
  });
  if (problems.length > 0) throw invalid('invalid_query', problems);
  return Object.fromEntries(entries);
}
