import { createHash, verify, X509Certificate } from 'node:crypto';
import { type HiddenData, hiddenAfterEntries, signatureContentOf } from './certificate-table.ts';
import { childrenOf, DER, type Der, oidOf, readDer } from './der.ts';
import type { PeImage } from './image.ts';
import { authentihashOf, certificateTableOf } from './layout.ts';

/**
 * The content of an entry of the certificate table:
 *
 *   ContentInfo { signedData, [0] SignedData {
 *     version, digest algorithms,
 *     { SpcIndirectData, [0] { data, { algorithm, digest of the file } } },
 *     [0] certificates, [1] revocations,
 *     signers { version, { issuer, serial }, digest algorithm, [0] attributes, algorithm,
 *       signature, [1] more } } }
 *
 * Verified here: the digest of the file, the digest in the attributes, and the signature of the
 * attributes. Not verified: whether the certificate is trusted.
 *
 * References: "Windows Authenticode Portable Executable Signature Format" (2008); RFC 2315; RFC
 * 5652.
 */
export interface PeSignature {
  readonly offset: number;
  readonly digestAlgorithm: string;
  readonly signedDigest: string;
  readonly computedDigest: string;
  readonly isDigestRight: boolean;
  /** Absent if it cannot be verified: no certificate, or an unsupported kind of key. */
  readonly isSignatureRight?: boolean | undefined;
  readonly signer?: SignerCertificate | undefined;
  readonly certificateCount: number;
  readonly isTimestamped: boolean;
  /** Whether the signature contains a second one with another digest algorithm. */
  readonly hasNested: boolean;
  /** Data that was added to the certificate table. The offsets are those in the file. */
  readonly hidden?: readonly HiddenData[];
}

export interface SignerCertificate {
  readonly subject: string;
  readonly issuer: string;
  readonly serial: string;
  readonly sha1: string;
  readonly sha256: string;
  readonly validFrom: string;
  readonly validTo: string;
  readonly isSelfSigned: boolean;
}

const MAX_CERTIFICATE_BYTES = 32 * 1024;
const MAX_CERTIFICATES = 32;

const OID = {
  signedData: '2a864886f70d010702',
  indirectData: '2b060104018237020104',
  messageDigest: '2a864886f70d010904',
  counterSignature: '2a864886f70d010906',
  timestamp: '2b060104018237030301',
  nested: '2b060104018237020401',
} as const;

const DIGESTS: Readonly<Record<string, string>> = {
  '2a864886f70d0205': 'md5',
  '2b0e03021a': 'sha1',
  '608648016503040201': 'sha256',
  '608648016503040202': 'sha384',
  '608648016503040203': 'sha512',
};

/** `undefined` without a table, `'unreadable'` if the table contains no signature. */
export function readSignature(image: PeImage): PeSignature | 'unreadable' | undefined {
  const table = certificateTableOf(image);
  if (table === undefined) return undefined;
  const bytes = image.reader.upTo(table.offset, table.size);
  const content = signatureContentOf(bytes);
  const signed = content && signedDataOf(content);
  if (signed === undefined) return 'unreadable';
  const hidden = [...hiddenAfterEntries(bytes), ...hiddenInAttributes(signed, bytes)];
  return {
    ...signatureOf(image, table.offset, signed),
    ...(hidden.length > 0 && {
      hidden: hidden.map((one) => ({ ...one, offset: table.offset + one.offset })),
    }),
  };
}

/** Unsigned attributes that signing tools and time stamp services add. */
const KNOWN_ATTRIBUTES: readonly string[] = [
  OID.counterSignature,
  OID.timestamp,
  OID.nested,
  // The timestamp of RFC 3161, the sealing signature and its timestamp.
  '2a864886f70d010910020e',
  '2b060104018237020403',
  '2b060104018237020404',
];
/** An unknown attribute with less may be a mark of the tool. */
const MIN_ATTRIBUTE_BYTES = 64;

/** Unsigned attributes are not covered by the signature: anybody can add them later. */
function hiddenInAttributes({ signer }: SignedData, table: Buffer): readonly HiddenData[] {
  return (signer?.unsigned ?? [])
    .map((attribute) => ({ attribute, oid: oidOf(childrenOf(attribute)[0]) }))
    .filter(({ attribute, oid }) => {
      const isLong = attribute.whole.length >= MIN_ATTRIBUTE_BYTES;
      return isLong && !KNOWN_ATTRIBUTES.includes(oid);
    })
    .map(({ attribute: { whole }, oid }) => ({
      offset: whole.byteOffset - table.byteOffset,
      size: whole.length,
      location: `in the unsigned attribute ${oid || 'without a type'}`,
    }));
}

interface SignedData {
  readonly digestAlgorithm: string;
  readonly digest: Buffer;
  /** The content whose digest the signer's attributes state. */
  readonly signedContent: Buffer;
  readonly certificates: readonly Der[];
  readonly signer: SignerInfo | undefined;
}

interface SignerInfo {
  readonly issuer: Buffer;
  readonly serial: Buffer;
  readonly digestAlgorithm: string;
  readonly attributes: Der;
  readonly signature: Buffer;
  readonly unsigned: readonly Der[];
}

function signedDataOf(bytes: Buffer): SignedData | undefined {
  const [type, wrapped] = childrenOf(readDer(bytes));
  if (oidOf(type) !== OID.signedData) return undefined;
  const [sequence] = childrenOf(wrapped);
  const [, , contentInfo, ...rest] = childrenOf(sequence);
  const [contentType, content] = childrenOf(contentInfo);
  if (oidOf(contentType) !== OID.indirectData) return undefined;
  const [indirect] = childrenOf(content);
  const [, digestInfo] = childrenOf(indirect);
  const [algorithm, digest] = childrenOf(digestInfo);
  const digestAlgorithm = digestNameOf(algorithm);
  if (indirect === undefined || digest?.tag !== DER.octets) return undefined;
  if (digestAlgorithm === undefined) return undefined;
  const certificates = childrenOf(rest.find(({ tag }) => tag === DER.context0));
  return {
    digestAlgorithm,
    digest: digest.content,
    signedContent: indirect.content,
    certificates: certificates.slice(0, MAX_CERTIFICATES),
    signer: signerOf(childrenOf(rest.find(({ tag }) => tag === DER.set))[0]),
  };
}

function digestNameOf(algorithm: Der | undefined): string | undefined {
  return DIGESTS[oidOf(childrenOf(algorithm)[0])];
}

function signerOf(element: Der | undefined): SignerInfo | undefined {
  const [, id, algorithm, attributes, , signature, unsigned] = childrenOf(element);
  const [issuer, serial] = childrenOf(id);
  const digestAlgorithm = digestNameOf(algorithm);
  if (digestAlgorithm === undefined || issuer === undefined || serial === undefined)
    return undefined;
  if (attributes?.tag !== DER.context0 || signature?.tag !== DER.octets) return undefined;
  return {
    issuer: issuer.whole,
    serial: serial.content,
    digestAlgorithm,
    attributes,
    signature: signature.content,
    unsigned: childrenOf(unsigned?.tag === DER.context1 ? unsigned : undefined),
  };
}

function signatureOf(image: PeImage, offset: number, signed: SignedData): PeSignature {
  const computedDigest = authentihashOf(image, signed.digestAlgorithm);
  const signedDigest = signed.digest.toString('hex');
  const certificate = signerCertificateOf(signed);
  const unsigned =
    signed.signer?.unsigned.map((attribute) => oidOf(childrenOf(attribute)[0])) ?? [];
  return {
    offset,
    digestAlgorithm: signed.digestAlgorithm,
    signedDigest,
    computedDigest,
    isDigestRight: computedDigest === signedDigest,
    isSignatureRight: certificate && isSignatureRight(signed, certificate),
    signer: certificate && describe(certificate),
    certificateCount: signed.certificates.length,
    isTimestamped: unsigned.some((oid) => oid === OID.counterSignature || oid === OID.timestamp),
    hasNested: unsigned.includes(OID.nested),
  };
}

function signerCertificateOf({ signer, certificates }: SignedData): X509Certificate | undefined {
  if (signer === undefined) return undefined;
  const found = certificates.find((certificate) => isOf(certificate, signer));
  if (found === undefined || found.whole.length > MAX_CERTIFICATE_BYTES) return undefined;
  try {
    return new X509Certificate(found.whole);
  } catch {
    // The outer structure is valid, but the content is not a certificate.
    return undefined;
  }
}

/** Certificate { { [0] version, serial, algorithm, issuer, … }, … }; the version is optional. */
function isOf(certificate: Der, signer: SignerInfo): boolean {
  const fields = childrenOf(childrenOf(certificate)[0]);
  const at = fields[0]?.tag === DER.context0 ? 1 : 0;
  const serial = fields[at]?.content;
  const issuer = fields[at + 2]?.whole;
  return serial?.equals(signer.serial) === true && issuer?.equals(signer.issuer) === true;
}

/**
 * Both steps: the attributes state the digest of the content, and the key has signed the
 * attributes.
 */
function isSignatureRight(signed: SignedData, certificate: X509Certificate): boolean | undefined {
  const { signer } = signed;
  if (signer === undefined) return undefined;
  const stated = childrenOf(signer.attributes).find(
    (attribute) => oidOf(childrenOf(attribute)[0]) === OID.messageDigest,
  );
  const [statedDigest] = childrenOf(childrenOf(stated)[1]);
  const digest = createHash(signer.digestAlgorithm).update(signed.signedContent).digest();
  if (statedDigest === undefined || !statedDigest.content.equals(digest)) return false;
  // The attributes are signed as a set, not with the context tag under which they are stored.
  const attributes = Buffer.from(signer.attributes.whole);
  attributes[0] = DER.set;
  try {
    return verify(signer.digestAlgorithm, attributes, certificate.publicKey, signer.signature);
  } catch {
    // A kind of key that OpenSSL does not support.
    return undefined;
  }
}

function describe(certificate: X509Certificate): SignerCertificate {
  const digest = (algorithm: string) => createHash(algorithm).update(certificate.raw).digest('hex');
  return {
    subject: oneLine(certificate.subject),
    issuer: oneLine(certificate.issuer),
    serial: certificate.serialNumber.toLowerCase(),
    sha1: digest('sha1'),
    sha256: digest('sha256'),
    validFrom: isoDate(certificate.validFromDate),
    validTo: isoDate(certificate.validToDate),
    isSelfSigned: certificate.subject === certificate.issuer,
  };
}

function isoDate(date: Date): string {
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}

function oneLine(name: string | undefined): string {
  return (name ?? '').replaceAll('\n', ', ');
}
