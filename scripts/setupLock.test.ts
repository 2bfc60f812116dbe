/** Tests the lock of set-up: one holder at a time, takeover after the holder ends, and no endless waiting. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

const lockModule = pathToFileURL(resolve(fileURLToPath(import.meta.url), '../setup/lock.mjs')).href;
const root = mkdtempSync(join(tmpdir(), 'tapedeck-lock-'));
after(() => rmSync(root, { recursive: true, force: true }));

test('lets one set-up in at a time', async () => {
  const path = join(root, 'one-by-one/setup.lock');
  const log = join(root, 'one-by-one.log');
  const work = `async () => { appendFileSync(log, 'in '); await new Promise(done => setTimeout(done, 100)); appendFileSync(log, 'out '); }`;
  await Promise.all([1, 2, 3].map(() => once(holdLock(path, work, log), 'exit')));
  assert.equal(readFileSync(log, 'utf8'), 'in out in out in out ');
  assert.equal(existsSync(path), false);
});

test('passes the lock of a killed set-up on once the program it started has ended', async () => {
  const path = join(root, 'killed/setup.lock');
  const log = join(root, 'killed.log');
  const endless = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)']);
  const killed = holdLock(
    path,
    `async onStart => { onStart(${endless.pid}); console.log('held'); await new Promise(() => {}); }`,
    log,
  );
  assert.equal(await readLine(killed), 'held');
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  const next = holdLock(path, `async () => appendFileSync(log, 'in')`, log);
  assert.match(await readLine(next), /waiting for it to end/);
  assert.equal(existsSync(log), false, 'the orphan is still at work');
  endless.kill('SIGKILL');
  await once(next, 'exit');
  assert.equal(readFileSync(log, 'utf8'), 'in');
});

const obstacles: [string, (path: string) => void][] = [
  ['a folder', path => mkdirSync(path)],
  ['a link that leads nowhere', path => symlinkSync(join(root, 'nowhere'), path)],
  [
    'what an ended set-up left, and nobody may move away',
    path => {
      const ended = { ...readHolder(), processes: [{ pid: 1, startedAt: 'never' }] };
      writeFileSync(path, JSON.stringify(ended));
    },
  ],
];
for (const [name, put] of obstacles) {
  test(`${name} in place of the lock: set-up reports it and ends`, () => {
    const path = join(root, name.replaceAll(/\W/g, '-'), 'setup.lock');
    mkdirSync(dirname(path));
    put(path);
    const source = `import { mkdirSync } from 'node:fs';
      import { withLock } from ${JSON.stringify(lockModule)};
      const path = ${JSON.stringify(path)};
      mkdirSync(path + '.abandoned.' + process.pid + '/full', { recursive: true });
      await withLock(path, async () => console.log('in'), () => {});`;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--input-type=module', '--eval', source],
      { encoding: 'utf8', timeout: 20_000 }, // it ends at once; the timeout catches an endless loop
    );
    assert.equal(status, 1, stderr);
    assert.equal(stdout, '');
    assert.match(stderr, /setup\.lock .*: remove it and run the command again\./);
  });
}

/** Returns the name that this process would write into a lock. */
function readHolder(): { place: string } {
  const path = join(root, 'holder/setup.lock');
  const source = `import { readFileSync } from 'node:fs';
    import { withLock } from ${JSON.stringify(lockModule)};
    await withLock(${JSON.stringify(path)}, async () => console.log(readFileSync(${JSON.stringify(path)}, 'utf8')), () => {});`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', source], {
    encoding: 'utf8',
  });
  return JSON.parse(stdout);
}

function holdLock(path: string, work: string, log: string): ChildProcess {
  const source = `import { appendFileSync } from 'node:fs';
    import { withLock } from ${JSON.stringify(lockModule)};
    const log = ${JSON.stringify(log)};
    await withLock(${JSON.stringify(path)}, ${work}, console.log);`;
  return spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function readLine(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) return line;
  throw new Error('The process ended before it printed what was waited for.');
}
