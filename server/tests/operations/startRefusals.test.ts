/** Refused starts print one sentence and exit with code 1; successful ones print the ready line. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { after, describe, it, test } from 'node:test';
import type { Environment } from '../../src/config.ts';
import { makeDirectory } from '../support/service.ts';
import { runProcess, runTapedeck, startProcess, tapedeck } from '../support/tapedeck.ts';

const directory = await makeDirectory();
after(() => directory[Symbol.asyncDispose]());

describe('fails to start with one sentence and exit code 1', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  after(() => taken.close());
  const { port } = taken.address() as AddressInfo; // it listens on TCP
  const file = path.join(directory.path, 'a-file');
  await writeFile(file, 'not a directory');
  const damaged = path.join(directory.path, 'damaged');
  await tapedeck(['migrate'], { TAPEDECK_DATA_DIR: damaged });
  await writeFile(
    path.join(damaged, 'tapedeck.db'),
    'this is no database, whatever its name says'.repeat(200),
  );
  const data = path.join(directory.path, 'data');
  const rows: [string, Environment, RegExp][] = [
    [
      'a port in use',
      { TAPEDECK_PORT: String(port), TAPEDECK_DATA_DIR: data },
      /Port \d+ is in use; set TAPEDECK_PORT/,
    ],
    [
      'an address of another machine',
      { TAPEDECK_HOST: '192.0.2.1', TAPEDECK_DATA_DIR: data },
      /not have the address 192\.0\.2\.1; set TAPEDECK_HOST/,
    ],
    [
      'a file in place of the data directory',
      { TAPEDECK_DATA_DIR: file },
      /cannot be written to; set TAPEDECK_DATA_DIR/,
    ],
    [
      'a data directory below a file',
      { TAPEDECK_DATA_DIR: `${file}/data` },
      /cannot be written to; set TAPEDECK_DATA_DIR/,
    ],
    [
      'a data directory that cannot be created',
      { TAPEDECK_DATA_DIR: '/proc/tapedeck' },
      /cannot be written to; set TAPEDECK_DATA_DIR/,
    ],
    ['an unusable setting', { TAPEDECK_PORT: 'http' }, /^TAPEDECK_PORT must be/],
    ['a damaged database', { TAPEDECK_DATA_DIR: damaged }, /database/],
    [
      'a database that does not respond',
      { TAPEDECK_DATA_DIR: data, TAPEDECK_DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/d' },
      /database/i,
    ],
  ];
  for (const [name, environment, expected] of rows) {
    it(name, async () => {
      const settings = { TAPEDECK_HOST: '127.0.0.1', TAPEDECK_PORT: '0', ...environment };
      const { exitCode, complained, printed } = await runTapedeck(['serve'], settings);
      assert.match(complained, /^[^\n]+\.\n$/, 'one sentence');
      assert.match(complained, expected);
      assert.doesNotMatch(complained, /hunter2/);
      assert.deepEqual([exitCode, printed], [1, '']);
    });
  }

  it('in a separate process', async () => {
    const environment = { TAPEDECK_HOST: '127.0.0.1', TAPEDECK_PORT: String(port), TAPEDECK_DATA_DIR: data };
    const { exitCode, complained, printed } = await runProcess(['serve'], { environment });
    assert.match(complained, /^Port \d+ is in use; [^\n]+\.\n$/);
    assert.deepEqual([exitCode, printed], [1, '']);
  });
});

test('the ready line is one JSON line with the URL, and misspelt settings give a warning', async () => {
  const environment = { TAPEDECK_DATA_DIR: path.join(directory.path, 'ready'), TAPEDECK_PROT: '9000' };
  await using service = await startProcess({
    ...environment,
    TAPEDECK_PUBLIC_URL: 'https://media.example.org',
  });
  const lines = service.lines.map(line => JSON.parse(line) as Record<string, unknown>);
  const ready = lines.filter(({ msg }) => msg === 'ready');
  assert.equal(ready.length, 1);
  assert.equal(ready[0]!.url, service.url);
  assert.equal(ready[0]!.publicUrl, 'https://media.example.org');
  assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
  assert.ok(lines.some(({ level, name }) => level === 'warn' && name === 'TAPEDECK_PROT'));
  const setUp = lines.find(({ setUpCode }) => setUpCode !== undefined);
  assert.match(String(setUp?.setUpCode), /^[A-Z2-9]{4}(?:-[A-Z2-9]{4}){2}$/);
  assert.ok(String(setUp?.msg).includes('https://media.example.org'));
  service.child.kill('SIGTERM');
  const { setUpNotice } = await service.exit;
  assert.equal(
    setUpNotice.trimEnd().split('\n').at(-1)?.trim(),
    setUp?.setUpCode,
    'the code is the last line',
  );
  assert.match(
    setUpNotice,
    /Open https:\/\/media\.example\.org and enter this setup code to create the owner:/,
  );
});
