import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { fileSettings, rowsOf } from '../../src/config/read-settings.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { readConfig } from '../../src/config.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'deploy/kubernetes');
const PAGE = readFileSync(join(ROOT, 'docs/operations/kubernetes.md'), 'utf8');

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: each kind has its own members.
  readonly [member: string]: any;
}

const files = readdirSync(FOLDER).filter((file) => file !== 'kustomization.yaml');
const manifests: readonly Manifest[] = files.flatMap((file) =>
  parseAllDocuments(readFileSync(join(FOLDER, file), 'utf8')).map((document) => document.toJS()),
);

function find(kind: string, name: string): Manifest {
  const found = manifests.find(
    (manifest) => manifest.kind === kind && manifest.metadata.name === name,
  );
  assert.ok(found, `${kind} ${name}`);
  return found;
}

const settings = find('ConfigMap', 'rapsheet')['data'] as Record<string, string>;
const deployments = manifests.filter(({ kind }) => kind === 'Deployment');

/** The settings of a Deployment: those of the ConfigMap and its own. */
function settingsOf(deployment: Manifest): Record<string, string> {
  const [container] = deployment['spec'].template.spec.containers;
  const own = container.env.map(({ name, value }: Record<string, string>) => [name, value]);
  return { ...settings, ...Object.fromEntries(own) };
}

describe('the manifests for Kubernetes', () => {
  const known = [
    ...rowsOf(SETTINGS).map(({ name }) => name),
    ...fileSettings(SETTINGS).map((name) => `${name}_FILE`),
  ];

  it('are all in the kustomization', () => {
    const { resources } = parse(readFileSync(join(FOLDER, 'kustomization.yaml'), 'utf8'));
    assert.deepEqual([...resources].sort(), files.sort());
  });

  for (const deployment of deployments) {
    const { name } = deployment.metadata;
    const { spec } = deployment['spec'].template;
    const [container] = spec.containers;
    const given = settingsOf(deployment);

    it(`give ${name} only existing settings, and files only for secrets`, () => {
      for (const setting of Object.keys(given)) assert.ok(known.includes(setting), setting);
    });

    it(`give ${name} settings that the program accepts`, () => {
      const secrets: Readonly<Record<string, string>> = {
        'database-url': 'postgres://rapsheet:secret@db.example/rapsheet',
        's3-secret-access-key': 'secret',
        'secret-key': 'ab'.repeat(32),
      };
      const values = Object.entries(given)
        .filter(([setting]) => setting !== 'RAPSHEET_ADMIN_TOKEN_FILE')
        .map(([setting, value]) =>
          setting.endsWith('_FILE')
            ? [setting.replace(/_FILE$/, ''), secrets[value.split('/').at(-1) ?? '']]
            : [setting, value],
        );
      const config = readConfig(Object.fromEntries(values));
      assert.equal(config.metricsHost, '0.0.0.0');
      assert.equal(config.analysisWorkers, name === 'rapsheet-worker' ? 1 : 0);
    });

    it(`mount every secret that ${name} reads, which the page creates`, () => {
      const { secret } = spec.volumes.find((volume: { name: string }) => volume.name === 'secrets');
      const created = [...PAGE.matchAll(/--from-(?:file|literal)=([a-z0-9-]+)=/g)].map(
        ([, key]) => key,
      );
      for (const [setting, file] of Object.entries(given)) {
        if (!setting.endsWith('_FILE')) continue;
        const key = file.replace('/run/secrets/rapsheet/', '');
        assert.ok(created.includes(key), key);
        if (secret.items) assert.ok(secret.items.some((item: { key: string }) => item.key === key));
      }
    });

    it(`let ${name} listen on its ports, and probe them with existing paths`, () => {
      const ports = Object.fromEntries(
        container.ports.map((port: { name: string; containerPort: number }) => [
          port.name,
          port.containerPort,
        ]),
      );
      assert.equal(ports['metrics'], Number(given['RAPSHEET_METRICS_PORT']));
      if (ports['http'] !== undefined) assert.equal(ports['http'], readConfig({}).port);
      const probes = ['startupProbe', 'livenessProbe', 'readinessProbe']
        .map((probe) => container[probe]?.httpGet)
        .filter((probe) => probe !== undefined)
        .map(({ path, port }) => `${port} ${path}`);
      const expected = { http: ['http /livez', 'http /livez', 'http /readyz'] };
      assert.deepEqual(
        probes,
        ports['http'] === undefined ? ['metrics /metrics', 'metrics /metrics'] : expected.http,
      );
      const { annotations } = deployment['spec'].template.metadata;
      assert.equal(Number(annotations['prometheus.io/port']), ports['metrics']);
    });

    it(`let ${name} write only to volumes, without privileges`, () => {
      assert.equal(spec.securityContext.runAsNonRoot, true);
      assert.equal(spec.securityContext.runAsUser, 10001);
      assert.deepEqual(spec.securityContext.seccompProfile, { type: 'RuntimeDefault' });
      assert.deepEqual(container.securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      const mounts = container.volumeMounts.map(
        ({ mountPath }: { mountPath: string }) => mountPath,
      );
      assert.ok(mounts.includes(given['RAPSHEET_DATA_DIR']));
      assert.ok(mounts.includes('/app/node_modules/.cache/rapsheet'));
      assert.equal(spec.automountServiceAccountToken, false);
    });

    // A Service named `rapsheet` would set RAPSHEET_PORT=tcp://… otherwise.
    it(`keep the variables of services out of ${name}`, () => {
      assert.equal(spec.enableServiceLinks, false);
    });

    it(`give ${name} resources and a budget for disruptions`, () => {
      assert.ok(container.resources.requests.cpu);
      assert.ok(container.resources.limits.memory);
      const { selector } = find('PodDisruptionBudget', name)['spec'];
      assert.deepEqual(selector, deployment['spec'].selector);
    });
  }

  it('lead from the ingress to the servers', () => {
    const [rule] = find('Ingress', 'rapsheet')['spec'].rules;
    const [path] = rule.http.paths;
    assert.deepEqual(path.backend, { service: { name: 'rapsheet', port: { name: 'http' } } });
    const service = find('Service', 'rapsheet')['spec'];
    assert.deepEqual(service.ports, [{ name: 'http', port: 80, targetPort: 'http' }]);
    const { labels } = find('Deployment', 'rapsheet-server')['spec'].template.metadata;
    assert.deepEqual(service.selector, labels);
    assert.equal(settings['RAPSHEET_BASE_URL'], `https://${rule.host}`);
  });

  it('let the ingress wait longer than a ping of a stream and an upload', () => {
    const { annotations } = find('Ingress', 'rapsheet').metadata;
    const option = (name: string) => annotations[`nginx.ingress.kubernetes.io/${name}`];
    assert.ok(Number(option('proxy-read-timeout')) > 60);
    assert.equal(option('proxy-body-size'), '0');
    assert.equal(option('proxy-request-buffering'), 'off');
    assert.equal(option('proxy-next-upstream'), 'off');
  });

  it('let workers reach nothing but names, database and bucket', () => {
    const { egress, podSelector } = find('NetworkPolicy', 'rapsheet-all')['spec'];
    assert.deepEqual(podSelector, { matchLabels: { 'app.kubernetes.io/name': 'rapsheet' } });
    const ports = egress.flatMap((rule: { ports: { port: number }[] }) =>
      rule.ports.map(({ port }) => port),
    );
    assert.deepEqual(ports, [53, 53, 5432, 443]);
    assert.ok(egress.every(({ to }: { to: unknown[] }) => to.length === 1));
  });
});
