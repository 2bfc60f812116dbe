/** Tests the npm package in an empty folder: installing it, running its command, and serving. Downloads packages from the registry. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { makePackage } from './package.ts';

describe('The npm package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tapedeck-package-'));
  const environment = { ...process.env, TAPEDECK_DATA_DIR: join(folder, 'data'), TAPEDECK_PORT: '0' };
  const tapedeck = (...args: string[]) =>
    execFileSync('npx', ['--no-install', 'tapedeck', ...args], {
      cwd: folder,
      env: environment,
      encoding: 'utf8',
    });
  after(() => rmSync(folder, { recursive: true, force: true }));

  before(() => {
    const tarball = makePackage(folder);
    writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
    execFileSync('npm', ['install', ...flags, tarball], { cwd: folder, stdio: 'pipe' });
  });

  it('holds programs and their types, and neither sources nor tests', () => {
    const names = readdirSync(join(folder, 'node_modules/tapedeck'), { recursive: true, encoding: 'utf8' });
    const unwanted = names.filter(name => /(?<!\.d)\.tsx?$|\.test\.|\.engines\.|conformance/.test(name));
    assert.deepEqual(unwanted, []);
    assert.ok(names.includes('server/dist/cli.js') && names.includes('server/src/contract.d.ts'));
  });

  it('answers its version, and makes a token', () => {
    assert.match(tapedeck('--version'), /^\d+\.\d+\.\d+\n$/);
    assert.match(tapedeck('token', 'create', '--kind', 'admin'), /^[0-9A-Za-z]{32}\n$/);
  });

  it('gives its client and its contract to programs', () => {
    const program = `import { createClient } from 'tapedeck/client';
      import { routes } from 'tapedeck/contract';
      console.log(typeof createClient, routes.length > 0);`;
    const answer = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: folder,
      encoding: 'utf8',
    });
    assert.equal(answer, 'function true\n');
  });

  it('serves until told to stop', async () => {
    // Calls the program directly: npx ends on a signal but leaves its child running.
    const service = spawn('node_modules/.bin/tapedeck', ['serve'], {
      cwd: folder,
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const url = await readUrl(service);
      for (const [route, type] of [
        ['/readyz', 'json'],
        ['/openapi.json', 'json'],
        ['/', 'html'],
      ] as const) {
        const response = await fetch(`${url}${route}`, {
          headers: { accept: 'text/html, application/json' },
        });
        assert.equal(response.status, 200, route);
        assert.match(response.headers.get('content-type') ?? '', new RegExp(type));
      }
    } finally {
      service.kill('SIGTERM');
    }
    const [status] = await once(service, 'exit');
    assert.equal(status, 0);
  });
});

async function readUrl(service: ChildProcess): Promise<string> {
  assert.ok(service.stdout);
  for await (const line of createInterface({ input: service.stdout })) {
    const { msg, url } = JSON.parse(line);
    if (msg === 'ready') return url.replace('0.0.0.0', '127.0.0.1');
  }
  throw new Error('It ended before it was ready.');
}
