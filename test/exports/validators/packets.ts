/**
 * Capture files with packets of IPv4, without checksums. Layout:
 * https://www.ietf.org/archive/id/draft-ietf-opsawg-pcap-04.html
 */

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

const LINKTYPE_RAW = 101;
const START_SECONDS = 1_767_225_600;

/** A packet a second. */
export function captureFile(packets: readonly Buffer[]): Buffer {
  const header = Buffer.alloc(24);
  header.writeUInt32LE(0xa1b2c3d4, 0);
  header.writeUInt16LE(2, 4);
  header.writeUInt16LE(4, 6);
  header.writeUInt32LE(65_535, 16);
  header.writeUInt32LE(LINKTYPE_RAW, 20);
  const records = packets.map((packet, index) => {
    const record = Buffer.alloc(16);
    record.writeUInt32LE(START_SECONDS + index, 0);
    record.writeUInt32LE(packet.length, 8);
    record.writeUInt32LE(packet.length, 12);
    return Buffer.concat([record, packet]);
  });
  return Buffer.concat([header, ...records]);
}

/** The first packet of a connection. */
export function tcpPacket(source: Endpoint, target: Endpoint): Buffer {
  const segment = Buffer.alloc(20);
  segment.writeUInt16BE(source.port, 0);
  segment.writeUInt16BE(target.port, 2);
  segment.writeUInt32BE(1, 4);
  segment.writeUInt16BE(0x5002, 12);
  segment.writeUInt16BE(8192, 14);
  return ipPacket(source, target, 6, segment);
}

export function udpPacket(source: Endpoint, target: Endpoint, payload: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt16BE(source.port, 0);
  header.writeUInt16BE(target.port, 2);
  header.writeUInt16BE(8 + payload.length, 4);
  return ipPacket(source, target, 17, Buffer.concat([header, payload]));
}

/** A question for the address of a name. */
export function dnsQuery(name: string, id: number): Buffer {
  const header = Buffer.alloc(12);
  header.writeUInt16BE(id, 0);
  header.writeUInt16BE(0x0100, 2);
  header.writeUInt16BE(1, 4);
  const labels = name
    .split('.')
    .map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label)]));
  return Buffer.concat([header, ...labels, Buffer.of(0, 0, 1, 0, 1)]);
}

function ipPacket(source: Endpoint, target: Endpoint, protocol: number, payload: Buffer): Buffer {
  const header = Buffer.alloc(20);
  header.writeUInt16BE(0x4500, 0);
  header.writeUInt16BE(20 + payload.length, 2);
  header.writeUInt8(64, 8);
  header.writeUInt8(protocol, 9);
  header.set(source.host.split('.').map(Number), 12);
  header.set(target.host.split('.').map(Number), 16);
  return Buffer.concat([header, payload]);
}
