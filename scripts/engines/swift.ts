/**
 * Runs a real S3 engine for tests: OpenStack Swift with its S3 interface, from Debian's packages, as child processes in a temporary directory, on
 * free loopback ports. They are stopped by their process ids.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findFreePort } from './freePorts.ts';

type S3Engine = AsyncDisposable & {
  /** Address and credentials; signed PUTs create buckets. */
  endpoint: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Kills its servers in the middle of their work. */
  crash: () => Promise<void>;
  restart: () => Promise<void>;
};

const swiftPackages = ['swift-proxy', 'swift-account', 'swift-container', 'swift-object', 'memcached'];

const readyMsMax = 150_000; // Python programs, while other suites install their clients on the same two cores
const stopMsMax = 5_000;
const kinds = ['account', 'container', 'object'] as const;
const programs = ['memcached', 'swift'] as const;
type Program = (typeof programs)[number];
const python = '/usr/bin/python3';

export async function startSwift(): Promise<S3Engine> {
  const directory = mkdtempSync(path.join(tmpdir(), 'swift-'));
  const children = new Map<Program, ChildProcess>();
  const stop = async () => {
    await Promise.all([...children.values()].map(stopChild));
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    const [proxyPort, memcachedPort] = [await findFreePort(), await findFreePort()];
    const storagePorts = await Promise.all(kinds.map(findFreePort));
    mkdirSync(path.join(directory, 'devices/d1'), { recursive: true });
    buildRings(directory, storagePorts);
    const start = (name: Program, command: string, args: string[]) =>
      children.set(name, startChild(directory, name, [command, ...args]));
    const startServers = async () => {
      start('swift', python, ['-c', serverProgram, directory, ...kinds, 'proxy']);
      await waitUntilReady([proxyPort, ...storagePorts], [...children.values()], directory);
    };
    const address = ['-l', '127.0.0.1', '-p', String(memcachedPort), '-U', '0'];
    start('memcached', 'memcached', [...address, '-u', userInfo().username]);
    for (const [index, kind] of kinds.entries()) {
      const port = storagePorts[index] ?? 0;
      writeFileSync(path.join(directory, `${kind}.conf`), storageConfig(directory, kind, port));
    }
    writeFileSync(path.join(directory, 'proxy.conf'), proxyConfig(directory, proxyPort, memcachedPort));
    const endpoint = `http://127.0.0.1:${proxyPort}`;
    await startServers();
    return {
      endpoint,
      region: 'us-east-1',
      accessKeyId: 'test:tester',
      secretAccessKey: 'testing',
      crash: async () => {
        const dying = children.get('swift');
        if (dying === undefined || dying.signalCode !== null) return;
        dying.kill('SIGKILL'); // its servers end with it
        await once(dying, 'exit');
      },
      restart: startServers,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** One Python program instead of nine calls of `swift-ring-builder`, which take longer than everything else. */
const ringBuilder = `
import sys
from swift.common.ring import RingBuilder
for kind, port in (argument.split(':') for argument in sys.argv[1:]):
    builder = RingBuilder(4, 1, 0)
    builder.add_dev({'region': 1, 'zone': 1, 'ip': '127.0.0.1', 'port': int(port), 'device': 'd1', 'weight': 1.0})
    builder.rebalance()
    builder.get_ring().save(kind + '.ring.gz')
`;

/**
 * Runs all servers in one program: loading takes two seconds of processor time, which each of Debian's four commands would repeat. They end with
 * their parent, and it ends with any of them.
 */
const serverProgram = `
import ctypes, os, signal, sys
import swift.account.server, swift.container.server, swift.obj.server, swift.proxy.server
from swift.common.middleware.s3api import s3api
from swift.common.wsgi import run_wsgi
directory, *kinds = sys.argv[1:]
for kind in kinds:
    if os.fork() == 0:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        options = {'global_conf_callback': swift.obj.server.global_conf_callback} if kind == 'object' else {}
        os._exit(run_wsgi(os.path.join(directory, kind + '.conf'), kind + '-server', **options))
os.wait()
`;

function buildRings(directory: string, ports: number[]): void {
  const args = ['-c', ringBuilder, ...kinds.map((kind, index) => `${kind}:${ports[index]}`)];
  const { status, stderr, error } = spawnSync(python, args, { cwd: directory, encoding: 'utf8' });
  if (status !== 0) throw new Error(`Install ${swiftPackages.join(' ')}: ${error?.message ?? stderr}`);
}

function storageConfig(directory: string, kind: string, port: number): string {
  return `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${userInfo().username}
swift_dir = ${directory}
devices = ${directory}/devices
mount_check = false
[pipeline:main]
pipeline = healthcheck ${kind}-server
[app:${kind}-server]
use = egg:swift#${kind}
[filter:healthcheck]
use = egg:swift#healthcheck
`;
}

function proxyConfig(directory: string, port: number, memcachedPort: number): string {
  return `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${userInfo().username}
swift_dir = ${directory}
[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck cache listing_formats bulk s3api tempauth copy slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:healthcheck]
use = egg:swift#healthcheck
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${memcachedPort}
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:bulk]
use = egg:swift#bulk
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:copy]
use = egg:swift#copy
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
`;
}

function startChild(directory: string, name: Program, command: string[]): ChildProcess {
  // Ends its children however this process ends.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...command], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = path.join(directory, `${name}.log`);
  writeFileSync(log, '');
  for (const output of [child.stdout, child.stderr]) {
    output?.on('data', (bytes: Buffer) => writeFileSync(log, bytes, { flag: 'a' }));
  }
  child.on('error', error => writeFileSync(log, String(error), { flag: 'a' }));
  return child;
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), stopMsMax);
  await gone;
  clearTimeout(timer);
}

async function waitUntilReady(ports: number[], children: ChildProcess[], directory: string): Promise<void> {
  const giveUpAt = Date.now() + readyMsMax;
  for (const port of ports) {
    while (!(await isHealthy(port))) {
      const dead = children.find(child => child.exitCode !== null);
      if (dead !== undefined || Date.now() > giveUpAt)
        throw new Error(`Swift does not start: ${readLogs(directory)}`);
      await wait(100);
    }
  }
}

async function isHealthy(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/healthcheck`).then(
    response => response.ok,
    () => false,
  );
}

function readLogs(directory: string): string {
  return programs
    .map(name => `${name}: ${readFileSync(path.join(directory, `${name}.log`), 'utf8').slice(-1000)}`)
    .join('\n');
}
