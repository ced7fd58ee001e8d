import type { ExportedReport } from '../../domain/reports/exported-report.ts';
import { BlockList } from '../block-list.ts';
import { hostKind } from '../characters.ts';
import type { ExportContext, ExportWriter } from '../exporter.ts';

/**
 * Suricata refuses a dataset with a comment. A text that is no name ends the names: it is never
 * queried.
 */
export function openDomains(context: ExportContext): ExportWriter {
  const hosts = new DistinctHosts(context, (host) => hostKind(host) === 'name');
  return {
    start: () => '',
    report: (report) => (hosts.admit(report) ? encodedLine(report.c2.host) : ''),
    end: (digest) => encodedLine(`# END rows=${hosts.rows} sha256=${digest()}`),
  };
}

/** For documentation only, so it is neither reported nor used. */
const LAST_ADDRESS = '192.0.2.0';

export function openAddresses(context: ExportContext): ExportWriter {
  const hosts = new DistinctHosts(context, (host) => hostKind(host) !== 'name');
  return {
    start: () => '',
    report: (report) => (hosts.admit(report) ? `${report.c2.host}\n` : ''),
    end: () => `${LAST_ADDRESS}\n`,
  };
}

function encodedLine(text: string): string {
  return `${Buffer.from(text).toString('base64')}\n`;
}

/** Each host once: the reports are sorted by host. */
class DistinctHosts {
  rows = 0;
  readonly #list: BlockList;
  readonly #isWanted: (host: string) => boolean;
  #last: string | undefined;

  constructor(context: ExportContext, isWanted: (host: string) => boolean) {
    this.#list = new BlockList(context, 'host');
    this.#isWanted = isWanted;
  }

  admit(report: ExportedReport): boolean {
    const { host } = report.c2;
    if (host === this.#last || !this.#isWanted(host)) return false;
    if (this.#list.omission(report) !== undefined) return false;
    this.#last = host;
    this.rows += 1;
    return true;
  }
}
