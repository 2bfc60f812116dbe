/** Checks the image, the compose files and the chart with the tools made for them. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { installDeployTools } from '../scripts/clients/installedClients.ts';

const here = import.meta.dirname;
const chart = path.join(here, 'helm/tapedeck');
const tools = await installDeployTools();
const directory = await mkdtemp(path.join(tmpdir(), 'containers-'));
after(() => rm(directory, { recursive: true }));

/** Resolves to its output; rejects with the output if it finds a mistake. */
async function run(program: string, args: readonly string[]): Promise<string> {
  const child = spawn(program, args, { cwd: here, env: { PATH: process.env.PATH, HOME: directory } });
  const [told, complained, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  if (status !== 0) throw new Error(told + complained);
  return told + complained;
}

describe('the image', () => {
  it('satisfies its linter', async () => {
    assert.equal(await run(tools.hadolint, ['--failure-threshold', 'style', 'Containerfile']), '');
  });

  it('is one that the linter would complain about', async () => {
    const file = path.join(directory, 'Containerfile');
    await writeFile(file, 'FROM debian\nRUN apt-get install curl\n');
    await assert.rejects(run(tools.hadolint, [file]), /DL3006[\s\S]*DL3008/);
  });
});

type Service = { read_only?: boolean; cap_drop?: string[]; security_opt?: string[]; environment?: object };
type Compose = { services: Record<string, Service> };

describe('the compose files', () => {
  /** Loads a file with Compose, using the default of each setting that has one and a test value for each required one. */
  async function load(file: string): Promise<Compose> {
    const filled = path.join(directory, file);
    const words = await readFile(path.join(here, file), 'utf8');
    await writeFile(
      filled,
      words.replaceAll(/\$\{\w+(?::(?:-([^}]*)|\?[^}]*))?\}/g, (_, own?: string) => own ?? 'value'),
    );
    return parse(await run(tools.compose, [filled])) as Compose; // as Compose has it
  }

  it('for one machine and for several are complete and run without privileges', async () => {
    for (const [file, nodes] of [
      ['compose.yaml', ['tapedeck']],
      ['compose.many.yaml', ['node-1', 'node-2', 'node-3']],
    ] as const) {
      const { services } = await load(file);
      for (const node of nodes) {
        const { read_only, cap_drop, security_opt } = services[node] ?? {};
        assert.deepEqual(
          { read_only, cap_drop, security_opt },
          { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] },
        );
      }
    }
  });

  it('for several machines report a missing secret', async () => {
    await assert.rejects(run(tools.compose, ['compose.many.yaml']), /SECRET is missing a value: 40 random/);
  });
});

describe('the chart', () => {
  const shared = ['database', 'bucket', 'clickhouse'].map(store => `stores.${store}=true`);
  const many = ['replicas=3', 'secretName=s', ...shared];
  const everything = [...many, 'ingress.enabled=true', 'ingress.tlsSecretName=t', 'monitoring.enabled=true'];
  /** The oldest that the chart takes, and the newest that the schemas know. */
  const versions = ['1.26.0', '1.37.0'];

  const set = (values: readonly string[]) => values.flatMap(value => ['--set', value]);
  /** Renders with every version of Helm, which must agree. */
  const render = async (values: readonly string[], version = '1.37.0') => {
    const args = ['template', 'try', chart, '--kube-version', version, ...set(values)];
    const [rendered = '', ...others] = await Promise.all(tools.helms.map(helm => run(helm, args)));
    for (const other of others) assert.equal(other, rendered);
    return rendered;
  };

  it('is accepted by helm', async () => {
    for (const helm of tools.helms) {
      for (const values of [[], everything]) {
        const told = await run(helm, ['lint', '--strict', chart, ...set(values)]);
        assert.match(told, /0 chart\(s\) failed/);
      }
    }
  });

  it('renders valid manifests for old and new Kubernetes versions', async () => {
    for (const version of versions) {
      for (const [name, values] of Object.entries({ one: [], many, everything })) {
        const file = path.join(directory, `${name}-${version}.yaml`);
        await writeFile(file, await render(values, version));
        const told = await run(tools.kubernetesValidate, ['--strict', '-k', version.slice(0, 4), file]);
        // Of what the operator of Prometheus brings there is no schema.
        const others = told
          .split('\n')
          .filter(line => line !== '' && !/ passed for |ServiceMonitor/.test(line));
        assert.deepEqual(others, []);
        assert.ok(told.includes('statefulset/try'));
      }
    }
  });

  it('makes nodes without privileges, with a readiness probe', async () => {
    const documents = parseAllDocuments(await render(many)).map(document => document.toJS() as Manifest); // as Kubernetes has it
    const { spec } = documents.find(({ kind }) => kind === 'StatefulSet')!;
    const [container] = spec!.template.spec.containers;
    assert.equal(spec!.template.spec.securityContext.runAsNonRoot, true);
    assert.equal(container!.securityContext.readOnlyRootFilesystem, true);
    assert.equal(container!.readinessProbe.httpGet.path, '/readyz');
  });

  it('refuses several nodes without shared stores, and shared stores without a secret', async () => {
    await assert.rejects(render(['replicas=2']), /Several replicas share database, bucket and ClickHouse/);
    await assert.rejects(render(shared), /Shared stores have passwords/);
  });
});

type Manifest = {
  kind: string;
  spec?: {
    template: {
      spec: {
        securityContext: { runAsNonRoot: boolean };
        containers: {
          securityContext: { readOnlyRootFilesystem: boolean };
          readinessProbe: { httpGet: { path: string } };
        }[];
      };
    };
  };
};
