import { hash } from 'node:crypto';
import type { ExportedReport } from '../../domain/reports/exported-report.ts';
import { hostKind } from '../characters.ts';
import { percentOf } from '../confidence.ts';
import type { ExportContext } from '../exporter.ts';
import { messageText, metadataToken, referenceOptions, ruleDay } from '../rule-text.ts';

/** The parts of a rule that differ. Everything in it is checked when the rule is written. */
export interface Rule {
  /** Protocol, addresses and ports. */
  readonly header: string;
  readonly message: string;
  /** Keywords that match, each with its semicolon. */
  readonly match: string;
  /** Alerts once an hour: for each client, or for each client and server; always if absent. */
  readonly limit?: 'by_src' | 'by_both';
  readonly reference: string;
  readonly sid: number;
  readonly rev: number;
  /** Names and values. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** Suricata stores them in 32 bits. */
const MAX_SID = 4_294_967_295;
const MAX_NAME_LENGTH = 40;

/** One line. The text of a report can only become a part of `msg`. */
export function formatRule({ header, message, match, ...rule }: Rule): string {
  const metadata = Object.entries(rule.metadata).map(
    ([name, value]) => `${name} ${metadataToken(value)}`,
  );
  const options = [
    `msg:"${messageText(message)}";`,
    match,
    ...limitOptions(rule.limit),
    ...referenceOptions(rule.reference),
    'classtype:trojan-activity;',
    `sid:${rule.sid};`,
    `rev:${rule.rev};`,
    `metadata:${metadata.join(', ')};`,
  ];
  return `alert ${header} (${options.join(' ')})\n`;
}

function limitOptions(limit: Rule['limit']): readonly string[] {
  return limit === undefined
    ? []
    : [`threshold:type limit, track ${limit}, seconds 3600, count 1;`];
}

/** `undefined` if the number is too large. */
export function sidOf(number: number, context: ExportContext): number | undefined {
  const sid = context.firstRuleNumber + number;
  return Number.isSafeInteger(sid) && sid <= MAX_SID ? sid : undefined;
}

/**
 * The rule of one C2: its address and port, of TCP and UDP, or its name in DNS queries. It has a
 * number of its own, so its limit hides no other C2.
 */
export function c2Rule(report: ExportedReport, sid: number, context: ExportContext): Rule {
  const { c2, service, id } = report;
  const isName = hostKind(c2.host) === 'name';
  return {
    header: isName
      ? 'dns $HOME_NET any -> any any'
      : `ip $HOME_NET any -> ${addressOf(c2.host)} ${c2.port}`,
    message: c2Message(report),
    match: isName ? queryMatch(c2.host) : 'flow:to_server;',
    limit: 'by_src',
    reference: `${context.baseUrl}/feeds/${service}/reports/${id}`,
    sid,
    rev: report.sequence - report.createdSequence + 1,
    metadata: {
      feed: service,
      report: id,
      confidence: String(percentOf(report, context.services.get(service))),
      created_at: ruleDay(report.reportedAt),
      updated_at: ruleDay(report.updatedAt),
    },
  };
}

const RULES_OF_A_FEED = 4;
const FEED_SLOTS = 1_000_000;
/** So many numbers before the first one of reports are those of rules for whole feeds. */
const RESERVED_SIDS = RULES_OF_A_FEED * FEED_SLOTS;

/**
 * The number of a rule for a whole feed. Feeds have no numbers, so it is derived from the name: two
 * feeds of an installation have the same with a probability of one in a million.
 */
export function feedSid(index: 0 | 1 | 2 | 3, { feed, firstRuleNumber }: ExportContext): number {
  const slot = hash('sha256', feed, 'buffer').readUInt32BE(0) % FEED_SLOTS;
  return firstRuleNumber - RESERVED_SIDS + slot * RULES_OF_A_FEED + index;
}

function addressOf(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** The name itself, not those below it. */
function queryMatch(host: string): string {
  return `dns.query; content:"${host}"; nocase; bsize:${host.length};`;
}

/** The family and the address of a C2, for the message of its rule. */
export function c2Message({ name, service, c2 }: ExportedReport): string {
  const family = [...messageText(name)].slice(0, MAX_NAME_LENGTH).join('');
  const address = hostKind(c2.host) === 'ipv4' ? `${c2.host}:${c2.port}` : c2.host;
  const port = hostKind(c2.host) === 'ipv6' ? ` port ${c2.port}` : '';
  return `Rapsheet ${service} C2 ${family} ${address}${port}`;
}
