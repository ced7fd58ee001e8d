import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, type ToolResult } from './tool.ts';

const CONFIGURATION = `%YAML 1.1
---
vars:
  address-groups: { HOME_NET: "[10.0.0.0/8]", EXTERNAL_NET: any }
  port-groups: { HTTP_PORTS: "80" }
default-rule-path: .
rule-files: [ feed.rules ]
classification-file: classification.config
reference-config-file: reference.config
threshold-file: threshold.config
stats: { enabled: no }
reputation-categories-file: categories.txt
default-reputation-path: .
reputation-files: [ reputation.list ]
app-layer:
  protocols:
    http: { enabled: yes }
    dns: { udp: { enabled: yes, detection-ports: { dp: 53 } }, tcp: { enabled: yes } }
outputs: [ { fast: { enabled: yes, filename: fast.log } } ]
`;

/** What Suricata writes while it loads the files of a set, given by their names. */
export function loadInSuricata(files: ReadonlyMap<string, string>): ToolResult {
  return withFiles(files, (folder) =>
    run('suricata', '-T', '-v', '-c', join(folder, 'suricata.yaml'), '-l', folder),
  );
}

export interface Alert {
  readonly sid: number;
  readonly protocol: string;
  readonly source: string;
}

const ALERT = /\[1:(\d+):\d+\] .* \{(\w+)\} ([0-9.]+):\d+ ->/;

/** The alerts on the packets of a capture file. */
export function alertsInSuricata(
  files: ReadonlyMap<string, string>,
  capture: Buffer,
): readonly Alert[] {
  const empty = new Map(['categories.txt', 'reputation.list'].map((name) => [name, '']));
  return withFiles(new Map([...empty, ...files]), (folder) => {
    writeFileSync(join(folder, 'packets.pcap'), capture);
    const configuration = ['-c', join(folder, 'suricata.yaml'), '-k', 'none', '-l', folder];
    const { status, output } = run(
      'suricata',
      ...configuration,
      '-r',
      join(folder, 'packets.pcap'),
    );
    if (status !== 0) throw new Error(output);
    const lines = readFileSync(join(folder, 'fast.log'), 'utf8').split('\n').filter(Boolean);
    return lines.map((line) => {
      const [, sid, protocol = '', source = ''] = ALERT.exec(line) ?? [];
      return { sid: Number(sid), protocol, source };
    });
  });
}

function withFiles<Result>(
  files: ReadonlyMap<string, string>,
  use: (folder: string) => Result,
): Result {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-suricata-'));
  try {
    const all = new Map([
      ...files,
      ['classification.config', 'config classification: trojan-activity,A trojan,1\n'],
      ['threshold.config', ''],
      ['reference.config', 'config reference: url http://\n'],
      [
        'suricata.yaml',
        CONFIGURATION.replaceAll(/path: \.$/gm, `path: ${folder}`).replaceAll(
          /file: ([a-z.]+)$/gm,
          `file: ${folder}/$1`,
        ),
      ],
    ]);
    for (const [name, text] of all) writeFileSync(join(folder, name), text);
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
