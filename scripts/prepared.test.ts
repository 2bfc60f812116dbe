/** Tests preparing an upgrade next to a running service: nothing that it uses changes before the restart, which then builds nothing. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { packagesAreInstalled, recognizePackages } from './setup/packages.mjs';
import { describeMachine } from './setup/platform.mjs';
import { movePreparedIntoPlace, preparedPath } from './setup/prepared.mjs';
import { service } from './setup/service.mjs';

const repository = resolve(fileURLToPath(import.meta.url), '../..');
const root = mkdtempSync(join(tmpdir(), 'tapedeck-prepared-'));
after(() => rmSync(root, { recursive: true, force: true }));

/** Loads a part of itself on demand, as the real service does with its threads. */
const program = (version: number) => `
  process.stdout.write('ready ${version}\\n');
  process.on('SIGTERM', () => process.exit(0));
  process.stdin.on('data', async () => {
    const { part } = await import('./part.ts');
    process.stdout.write('part ' + part + '\\n');
  });`;

function writeSources(checkout: string, version: number): void {
  writeFileSync(join(checkout, 'server/src/cli.ts'), program(version));
  writeFileSync(join(checkout, 'server/src/part.ts'), `export const part = ${version};`);
}

function makeCheckout(name: string): string {
  const checkout = join(root, name);
  for (const folder of ['server/src', 'docs/connect', 'packages/log-store/src/writer/engine', 'node_modules'])
    mkdirSync(join(checkout, folder), { recursive: true });
  cpSync(join(repository, 'scripts'), join(checkout, 'scripts'), { recursive: true });
  for (const file of ['package.json', '.npmrc']) cpSync(join(repository, file), join(checkout, file));
  writeFileSync(join(checkout, 'package-lock.json'), '{"packages":{}}');
  writeFileSync(join(checkout, 'node_modules/.package-lock.json'), '{"packages":{}}');
  writeFileSync(join(checkout, 'server/package.json'), '{"type":"module","dependencies":{}}');
  writeFileSync(join(checkout, 'docs/connect/tool.md'), '');
  writeFileSync(join(checkout, 'packages/log-store/src/writer/engine/child.ts'), '');
  symlinkSync(join(repository, 'node_modules/rolldown'), join(checkout, 'node_modules/rolldown'));
  writeSources(checkout, 1);
  return checkout;
}

function run(checkout: string, command: string, args: string[]): ChildProcess {
  const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
  return spawn(command, args, { cwd: checkout, env: { ...process.env, PATH } });
}

async function start(checkout: string) {
  const child = run(checkout, 'sh', ['scripts/tapedeck.sh', 'serve']);
  const complained = text(child.stderr!);
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const ready = (await lines.next()).value;
  const ask = async () => {
    child.stdin!.write('part\n');
    return (await lines.next()).value;
  };
  const stop = async () => {
    child.kill('SIGTERM');
    await once(child, 'close');
    return await complained;
  };
  return { ready, ask, stop };
}

async function prepare(checkout: string): Promise<string> {
  const child = run(checkout, process.execPath, ['scripts/prepare.mjs']);
  const [told] = await Promise.all([text(child.stderr!), once(child, 'close')]);
  assert.equal(child.exitCode, 0, told);
  return told;
}

test("leaves the running service's files alone and builds nothing on restart", async () => {
  const checkout = makeCheckout('running');
  const before = await start(checkout);
  assert.equal(before.ready, 'ready 1');
  writeSources(checkout, 2);
  assert.match(await prepare(checkout), /Building the service[\s\S]*restart the service/);
  for (const source of ['docs/connect/tool.md', 'server/src/cli.ts'])
    assert.ok(existsSync(join(preparedPath(checkout), source)), `${source} is there for the builds`);
  assert.equal(await before.ask(), 'part 1');
  assert.match(await before.stop(), /Building the service/); // from its own start
  const next = await start(checkout);
  assert.equal(next.ready, 'ready 2');
  assert.equal(await next.ask(), 'part 2');
  assert.equal(await next.stop(), '');
});

test('rejects what was prepared from other sources', async () => {
  const checkout = makeCheckout('changed');
  await (await start(checkout)).stop();
  writeSources(checkout, 2);
  await prepare(checkout);
  writeSources(checkout, 3);
  const next = await start(checkout);
  assert.equal(next.ready, 'ready 3');
  assert.match(await next.stop(), /Building the service/);
});

test('copies packages of a new lock file, also of workspaces, and moves the old ones aside', async () => {
  const checkout = makeCheckout('packages');
  const machine = describeMachine();
  await (await start(checkout)).stop();
  writeSources(checkout, 2);
  await prepare(checkout);
  const lock = '{"packages":{"":{"name":"new"}}}';
  const prepared = join(checkout, '.cache/prepared');
  rmSync(join(prepared, 'node_modules'));
  for (const place of [checkout, prepared]) writeFileSync(join(place, 'package-lock.json'), lock);
  for (const folder of ['node_modules', 'server/node_modules'])
    mkdirSync(join(prepared, folder), { recursive: true });
  writeFileSync(join(prepared, 'node_modules/.package-lock.json'), '{"packages":{}}');
  writeFileSync(join(prepared, 'server/node_modules/new'), '');
  assert.ok(recognizePackages(prepared, machine));
  assert.ok(!packagesAreInstalled(checkout, machine));
  const builds = [{ ...service, source: 'server/src/none.ts' }]; // has nothing to build
  movePreparedIntoPlace({ root: checkout, machine, builds });
  assert.ok(packagesAreInstalled(checkout, machine));
  assert.ok(existsSync(join(checkout, 'server/node_modules/new')));
  assert.ok(existsSync(join(checkout, '.cache/replaced/node_modules/rolldown')));
  assert.equal(readFileSync(join(checkout, 'package-lock.json'), 'utf8'), lock);
});
