import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
    dns: { udp: { enabled: yes }, tcp: { enabled: yes } }
`;

/** What Suricata writes while it loads the files of a set, given by their names. */
export function loadInSuricata(files: ReadonlyMap<string, string>): ToolResult {
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
    return run('suricata', '-T', '-v', '-c', join(folder, 'suricata.yaml'), '-l', folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
