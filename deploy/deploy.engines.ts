/** nginx, Caddy, systemd and Prometheus read the files made for them and find the routes they ask for. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, it, test } from 'node:test';
import { promisify } from 'node:util';
import { parse, parseAllDocuments } from 'yaml';
import { settings } from '../server/src/settings.ts';
import { startTestService } from '../server/tests/support/service.ts';

const here = import.meta.dirname;
const directory = await mkdtemp(path.join(tmpdir(), 'deploy-'));
after(() => rm(directory, { recursive: true }));

const casesOfAlerts = ['alerts.test.yaml', 'alerts.days.test.yaml'];

/** Resolves to its output; rejects with the output if the program finds a mistake. */
async function run(
  program: string,
  args: string[],
  environment: Record<string, string> = {},
): Promise<string> {
  const options = { cwd: here, env: { ...process.env, ...environment } };
  const { stdout, stderr } = await promisify(execFile)(program, args, options);
  return stdout + stderr;
}

const read = (name: string) => readFile(path.join(here, name), 'utf8');

describe('each file is accepted by its program', () => {
  it('nginx', async () => {
    const site = path.join(directory, 'nginx.conf');
    const paths = ['error_log', 'pid'].map(name => `${name} ${path.join(directory, name)};`);
    await writeFile(site, `${paths.join('\n')}\nevents {}\nhttp {\n${await read('proxy/nginx.conf')}}\n`);
    assert.match(await run('nginx', ['-t', '-c', site]), /test is successful/);
  });

  it('Caddy, for one node and for several', async () => {
    for (const nodes of ['127.0.0.1:8787', 'a:8787 b:8787 c:8787']) {
      const environment = { DOMAIN: 'media.example.org', NODES: nodes, HOME: directory };
      const args = ['validate', '--adapter', 'caddyfile', '--config', 'proxy/Caddyfile'];
      assert.match(await run('caddy', args, environment), /Valid configuration/);
    }
  });

  it('systemd, which finds it hardened', async () => {
    assert.equal(await run('systemd-analyze', ['verify', './tapedeck.service']), '');
    // From 0 (nothing is exposed) to 100; what is left is the network and its own folder.
    await run('systemd-analyze', ['security', '--offline=yes', '--threshold=25', './tapedeck.service']);
  });

  it('Prometheus, and each alert fires where it should', async () => {
    await run('promtool', ['check', 'rules', 'monitoring/alerts.yaml']);
    await run('promtool', ['check', 'config', '--syntax-only', 'monitoring/prometheus.yaml']);
    const files = casesOfAlerts.map(file => `monitoring/${file}`);
    const told = await run('promtool', ['test', 'rules', ...files]);
    assert.equal(told.match(/SUCCESS/g)?.length, files.length);
  });
});

test('each alert has a case in which it fires and one in which it does not', async () => {
  const { groups } = parse(await read('monitoring/alerts.yaml')) as {
    groups: { rules: { alert: string }[] }[];
  }; // as Prometheus has it
  const files = await Promise.all(casesOfAlerts.map(file => read(`monitoring/${file}`)));
  const tests = files.flatMap(text => (parse(text) as { tests: { name: string }[] }).tests); // the same
  const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
  const cases = alerts.flatMap(alert => [`${alert} fires`, `${alert} stays quiet`]);
  assert.deepEqual(tests.map(({ name }) => name).sort(), cases.sort());
});

test('a running service provides every metric of alerts and panels', async () => {
  await using service = await startTestService();
  await service.fetch('/healthz');
  const told = await (await service.fetch('/metrics')).text();
  const known = new Set([...told.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name));
  const asked = `${await read('monitoring/alerts.yaml')}${await read('monitoring/dashboard.json')}`;
  const names = new Set([...asked.matchAll(/\btapedeck_\w+/g)].map(([name]) => name.replace(/_bucket$/, '')));
  assert.ok(names.size > 5);
  assert.deepEqual(
    [...names].filter(name => !known.has(name)),
    [],
  );
});

test('Prometheus finds nothing to say about the metrics', async () => {
  await using service = await startTestService();
  await service.fetch('/healthz');
  await service.fetch('/nowhere'); // a refusal, of no project
  const told = await (await service.fetch('/metrics')).text();
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
    input: told,
    encoding: 'utf8',
  });
  assert.deepEqual({ status, said: `${stdout}${stderr}` }, { status: 0, said: '' });
});

test('compose files and chart name settings that there are', async () => {
  const names = new Set(settings.map(({ name }) => `TAPEDECK_${name}`));
  for (const file of [
    'compose.yaml',
    'compose.many.yaml',
    'Containerfile',
    'helm/tapedeck/templates/nodes.yaml',
  ]) {
    const text = await read(file);
    const unknown = [...text.matchAll(/\bTAPEDECK_[A-Z0-9_]+/g)].filter(([name]) => !names.has(name));
    assert.deepEqual(
      unknown.map(([name]) => name),
      [],
      file,
    );
    if (!file.startsWith('compose')) continue;
    const [document] = parseAllDocuments(text, { merge: true });
    assert.ok(document && 'toJS' in document && document.errors.length === 0);
    const { services, volumes } = document.toJS() as Compose; // as Compose has it
    for (const { volumes: mounts = [] } of Object.values(services))
      for (const [name = ''] of mounts.map(mount => mount.split(':')))
        assert.ok(name.startsWith('.') || name in volumes, `${file}: ${name}`);
  }
});

type Compose = { services: Record<string, { volumes?: string[] }>; volumes: object };
