/** Tests set-up in artificial checkouts: which changes it notices, what it leaves alone, and how it starts the service. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isBuilt, makeBuild, recognizeBuild } from './setup/builds.mjs';
import { dashboard } from './setup/dashboard.mjs';
import { packagesAreInstalled, recognizePackages } from './setup/packages.mjs';
import { describeMachine, findPlatformProblem } from './setup/platform.mjs';
import { findRuntime } from './setup/runtime.mjs';

const repository = resolve(fileURLToPath(import.meta.url), '../..');
const machine = { platform: 'linux', arch: 'x64', nodeVersion: '24.0.0', libc: 'glibc' };
const hooks = { say: () => {} };
let root = '';

before(() => {
  root = mkdtempSync(join(tmpdir(), 'tapedeck-setup-'));
});
after(() => rmSync(root, { recursive: true, force: true }));

const machines = [
  ['Debian on x64', {}, undefined],
  ['a Mac with an M processor', { platform: 'darwin', arch: 'arm64', libc: undefined }, undefined],
  ['the oldest Node.js that starts', { nodeVersion: '20.0.0' }, undefined],
  ['Windows', { platform: 'win32', libc: undefined }, /install WSL/],
  ['FreeBSD', { platform: 'freebsd', libc: undefined }, /Linux container/],
  ['a 32-bit Raspberry Pi', { arch: 'arm' }, /64-bit Node\.js/],
  ['Alpine', { libc: 'musl' }, /use Debian/],
  ['an old Node.js', { nodeVersion: '18.20.4' }, /install a newer one/],
] as const;

for (const [name, difference, problem] of machines) {
  test(`${name} ${problem ? 'is refused with a remedy' : 'is accepted'}`, () => {
    const sentence = findPlatformProblem({ ...machine, ...difference });
    if (!problem) assert.equal(sentence, undefined);
    else assert.match(sentence ?? '', problem);
  });
}

test('accepts this machine, whose own Node.js is new enough to run the tests', () => {
  assert.equal(findPlatformProblem(describeMachine()), undefined);
  assert.equal(findRuntime(repository, describeMachine()), process.execPath);
});

const wanted = {
  '': {},
  server: { version: '1.0.0' },
  'node_modules/tapedeck': { resolved: 'server', link: true },
  'node_modules/plain': { version: '1.0.0' },
  'node_modules/engine-linux': {
    version: '2.0.0',
    optional: true,
    os: ['linux'],
    cpu: ['x64'],
    libc: ['glibc'],
  },
  'node_modules/engine-musl': {
    version: '2.0.0',
    optional: true,
    os: ['linux'],
    cpu: ['x64'],
    libc: ['musl'],
  },
  'node_modules/engine-mac': { version: '2.0.0', optional: true, os: ['darwin'], cpu: ['arm64'] },
  'node_modules/stand-in': { version: '2.0.0', optional: true },
};
const complete = ['node_modules/tapedeck', 'node_modules/plain', 'node_modules/engine-linux'];
const installs: [string, (checkout: string) => void, boolean][] = [
  ['a whole install by hand', () => {}, true],
  [
    'an install that was cut short',
    checkout => rmSync(join(checkout, 'node_modules/.package-lock.json')),
    false,
  ],
  [
    'a package that somebody removed',
    checkout => rmSync(join(checkout, 'node_modules/plain'), { recursive: true }),
    false,
  ],
  [
    'an engine that npm skipped in silence',
    checkout => writeInstalled(checkout, ['node_modules/tapedeck', 'node_modules/plain']),
    false,
  ],
  [
    'a lock file with a newer version',
    checkout => writeLock(checkout, { 'node_modules/plain': { version: '1.0.1' } }),
    false,
  ],
];

for (const [name, change, expected] of installs) {
  test(`${name} ${expected ? 'is recognized' : 'is noticed'}`, () => {
    const checkout = makeInstall(name);
    change(checkout);
    assert.equal(packagesAreInstalled(checkout, machine), false);
    assert.equal(recognizePackages(checkout, machine), expected);
    assert.equal(packagesAreInstalled(checkout, machine), expected);
    assert.equal(packagesAreInstalled(checkout, { ...machine, arch: 'arm64' }), false);
  });
}

test('builds the dashboard once, and again only when a source changes', async () => {
  const checkout = join(root, 'dashboard');
  const source = join(checkout, 'dashboard/index.html');
  writeFiles(checkout, {
    'node_modules/vite/package.json': '{"version":"1.0.0"}',
    'node_modules/vite/bin/vite.js': `const { cpSync, mkdirSync } = require('node:fs');
      mkdirSync(process.argv[4], { recursive: true });
      cpSync('index.html', process.argv[4] + '/index.html');`,
    'dashboard/package.json': '{}',
  });
  assert.equal(isBuilt(checkout, dashboard), true, 'a checkout without a dashboard has nothing to build');
  writeFileSync(source, 'one');
  assert.equal(isBuilt(checkout, dashboard), false);
  await makeBuild({ root: checkout, nodePath: process.execPath }, dashboard, hooks);
  assert.equal(isBuilt(checkout, dashboard), true);
  utimesSync(source, 1, 1);
  assert.equal(isBuilt(checkout, dashboard), false);
  assert.equal(recognizeBuild(checkout, dashboard), true, 'only the time differs');
  assert.equal(isBuilt(checkout, dashboard), true);
  writeFileSync(source, 'two');
  assert.equal(isBuilt(checkout, dashboard) || recognizeBuild(checkout, dashboard), false);
  await makeBuild({ root: checkout, nodePath: process.execPath }, dashboard, hooks);
  assert.equal(readFileSync(join(checkout, 'dashboard/dist/index.html'), 'utf8'), 'two');
});

const service = `
  if (process.argv[2] !== 'serve') console.log(process.argv.slice(2).join('|'));
  else if (process.env.BROKEN) { console.error('PORT is in use: choose another one.'); process.exitCode = 1; }
  else {
    const timer = setInterval(() => {}, 1000);
    process.on('SIGTERM', () => { console.log('stopped'); clearInterval(timer); });
    console.log(JSON.stringify({ msg: 'ready', pid: process.pid }));
  }`;

const stops: [string, NodeJS.Signals, boolean, number | NodeJS.Signals][] = [
  ['SIGTERM to npm', 'SIGTERM', false, 0],
  ['SIGTERM to the service', 'SIGTERM', true, 0],
  ['SIGKILL of the service', 'SIGKILL', true, 'SIGKILL'],
];
for (const [name, signal, direct, expected] of stops) {
  test(`npm start becomes the service: ${name} ends it with ${expected}`, async () => {
    const npm = runNpm(['start'], {});
    const lines = createInterface({ input: npm.stdout! })[Symbol.asyncIterator]();
    const { pid } = JSON.parse(await findLine(lines, line => line.startsWith('{')));
    process.kill(direct ? pid : npm.pid, signal);
    if (signal === 'SIGTERM') assert.equal(await findLine(lines, line => line === 'stopped'), 'stopped');
    const [status, endedBy] = await once(npm, 'exit');
    assert.equal(status ?? endedBy, expected);
  });
}

test('npm start ends with 1 when the service cannot start', async () => {
  const [status] = await once(runNpm(['start'], { BROKEN: 'yes' }), 'exit');
  assert.equal(status, 1);
});

test('prints only the answer of a command and passes its arguments unchanged', () => {
  const args = ['--silent', 'run', 'tapedeck', '--', 'token', 'create', '--name', 'two words; $HOME'];
  const { stdout } = spawnSync('npm', args, { cwd: makeCheckout(), env: environment({}), encoding: 'utf8' });
  assert.equal(stdout, 'token|create|--name|two words; $HOME\n');
});

function makeInstall(name: string): string {
  const checkout = join(root, name.replaceAll(' ', '-'));
  for (const path of complete) mkdirSync(join(checkout, path), { recursive: true });
  writeLock(checkout, {});
  writeInstalled(checkout, complete);
  return checkout;
}

function writeLock(checkout: string, difference: object): void {
  writeFileSync(
    join(checkout, 'package-lock.json'),
    JSON.stringify({ packages: { ...wanted, ...difference } }),
  );
}

function writeInstalled(checkout: string, paths: string[]): void {
  const packages = Object.fromEntries(Object.entries(wanted).filter(([path]) => paths.includes(path)));
  writeFileSync(join(checkout, 'node_modules/.package-lock.json'), JSON.stringify({ packages }));
}

/** Makes a checkout with the real scripts, nothing to install, and a service of a few lines. */
function makeCheckout(): string {
  const checkout = join(root, 'checkout');
  if (existsSync(checkout)) return checkout;
  cpSync(join(repository, 'scripts'), join(checkout, 'scripts'), { recursive: true });
  for (const name of ['package.json', '.npmrc']) cpSync(join(repository, name), join(checkout, name));
  writeFiles(checkout, {
    'package-lock.json': '{"packages":{}}',
    'node_modules/.package-lock.json': '{"packages":{}}',
    'server/src/cli.ts': service,
    'server/package.json': '{"dependencies":{}}',
    'packages/log-store/src/writer/engine/child.ts': '',
  });
  // Links to the real bundler, which resolves its files from its real location.
  symlinkSync(join(repository, 'node_modules/rolldown'), join(checkout, 'node_modules/rolldown'));
  return checkout;
}

function writeFiles(checkout: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(checkout, path)), { recursive: true });
    writeFileSync(join(checkout, path), text);
  }
}

/** Puts this test's Node.js first, so that set-up finds one that is new enough. */
function environment(additions: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    ...process.env,
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    ...additions,
  };
}

function runNpm(args: string[], additions: NodeJS.ProcessEnv): ChildProcess {
  return spawn('npm', args, {
    cwd: makeCheckout(),
    env: environment(additions),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

async function findLine(lines: AsyncIterator<string>, matches: (line: string) => boolean): Promise<string> {
  for (let next = await lines.next(); !next.done; next = await lines.next())
    if (matches(next.value)) return next.value;
  throw new Error('The process ended before it printed what was waited for.');
}
