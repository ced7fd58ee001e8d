import type { ExportContext, Exporter, ExportWriter } from '../exporter.ts';
import { contactOf, xarfOf } from './xarf-object.ts';

/** One object with all reports, each an XARF object on its own line. */
export const xarf: Exporter = {
  format: 'xarf',
  mediaType: 'application/json; charset=utf-8',
  extension: 'json',
  order: 'creation',
  version: 2,
  fields: [
    'id',
    'service',
    'name',
    'tags',
    'c2',
    'sha256',
    'reportedBy',
    'reportedAt',
    'reference',
    'confidence',
    'confirmation',
  ],
  open: (context) => new XarfWriter(context),
};

class XarfWriter implements ExportWriter {
  readonly #context: ExportContext;
  readonly #contact: string;
  #rows = 0;

  constructor(context: ExportContext) {
    this.#context = context;
    this.#contact = contactOf(context.contact, context.baseUrl);
  }

  start(): string {
    return '{"reports":[';
  }

  report(report: Parameters<ExportWriter['report']>[0]): string {
    const service = this.#context.services.get(report.service);
    if (service === undefined) return '';
    const { confidenceScale } = service;
    const object = xarfOf(report, { confidenceScale, contact: this.#contact });
    this.#rows += 1;
    return `${this.#rows === 1 ? '\n' : ',\n'}${JSON.stringify(object)}`;
  }

  /** `digest()` covers all before the closing members; a cut export does not parse. */
  end(digest: () => string): string {
    return `\n],\n"rows":${this.#rows},"sha256":"${digest()}"}\n`;
  }
}
