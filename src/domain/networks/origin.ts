/** What offline tables know of an address. */
export interface Origin {
  /** The autonomous system that announces it. */
  readonly asn?: AutonomousSystem;
  /** ISO 3166-1 alpha-2. */
  readonly country?: string;
}

export interface AutonomousSystem {
  readonly number: number;
  readonly name?: string;
}

type Fields = Readonly<Record<string, unknown>>;

const MAX_NUMBER = 2 ** 32 - 1;
const MAX_NAME_LENGTH = 200;
const COUNTRY = /^[A-Za-z]{2}$/;
/** `13335`, or `AS13335` as IPinfo writes it. */
const AS_NUMBER = /^(?:AS)?(?<digits>[0-9]{1,10})$/i;
const NOT_SHOWN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/**
 * Reads the autonomous system from a record of an MMDB table. The fields differ by provider:
 *
 *   GeoLite2, DB-IP   autonomous_system_number, autonomous_system_organization
 *   IPinfo            asn ("AS13335"), as_name, or name
 *   IPLocate          asn (number or text), org, or name
 */
export function readAutonomousSystem(record: unknown): AutonomousSystem | undefined {
  if (!isFields(record)) return undefined;
  const number =
    parseNumber(field(record, 'autonomous_system_number')) ?? parseNumber(field(record, 'asn'));
  if (number === undefined) return undefined;
  const name = ['autonomous_system_organization', 'as_name', 'org', 'name']
    .map((key) => parseName(field(record, key)))
    .find((text) => text !== undefined);
  return { number, ...(name !== undefined && { name }) };
}

/**
 * Reads the country from a record of an MMDB table: `country.iso_code` (GeoLite2, DB-IP),
 * `country_code` (IPinfo Lite, IPLocate), or `country` with a code (older tables of IPinfo). The
 * country of registration, which GeoLite2 has too, is not that of the address.
 */
export function readCountry(record: unknown): string | undefined {
  if (!isFields(record)) return undefined;
  const country = field(record, 'country');
  const nested = isFields(country) ? field(country, 'iso_code') : undefined;
  return [nested, field(record, 'country_code'), country].map(parseCountry).find(isGiven);
}

function field(record: Fields, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function isGiven<Value>(value: Value | undefined): value is Value {
  return value !== undefined;
}

/** AS 0 is reserved: some tables write it for addresses that nobody announces. */
function parseNumber(value: unknown): number | undefined {
  const digits = typeof value === 'string' ? AS_NUMBER.exec(value)?.groups?.['digits'] : undefined;
  const number = digits === undefined ? value : Number(digits);
  const isNumber = typeof number === 'number' && Number.isInteger(number);
  return isNumber && number > 0 && number <= MAX_NUMBER ? number : undefined;
}

function parseName(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const name = value.slice(0, MAX_NAME_LENGTH).replace(NOT_SHOWN, ' ').trim();
  return name === '' ? undefined : name;
}

function parseCountry(value: unknown): string | undefined {
  return typeof value === 'string' && COUNTRY.test(value) ? value.toUpperCase() : undefined;
}
