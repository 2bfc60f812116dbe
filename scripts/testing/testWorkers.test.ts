/** Tests processes that run several test files: how their ends are reported, and that files do not meet. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { listFiles, TestWorkers } from './testWorkers.ts';

const folder = mkdtempSync(join(tmpdir(), 'tapedeck-workers-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function writeTest(title: string, text: string): string {
  const path = join(folder, `${title.replaceAll(' ', '-')}.mjs`);
  writeFileSync(path, `import { after, test } from 'node:test';\n${text}`);
  return path;
}

it('names a file that breaks the end of its process, with its output', async () => {
  const workers = new TestWorkers();
  const end =
    "process.once('disconnect', () => { console.error('the reason'); process.kill(process.pid, 'SIGKILL'); });";
  const path = writeTest('breaks the end', `test('passes', () => {}); ${end}`);
  assert.deepEqual((await workers.run(path, 30_000)).failures, []);
  const [ended, ...others] = await workers.end();
  assert.deepEqual(others, []);
  assert.equal(ended?.path, path);
  assert.match(ended?.failures[0]?.text ?? '', /ended with SIGKILL/);
  assert.match(ended?.output ?? '', /the reason/);
});

it('names all files of a process that does not end, any of which may be why', async () => {
  const workers = new TestWorkers(1_000);
  const texts = ["test('keeps', () => { setInterval(() => {}, 1000); });", "test('passes', () => {});"];
  const paths = texts.map((text, index) => writeTest(`does not end ${index}`, text));
  for (const path of paths) assert.deepEqual((await workers.run(path, 30_000)).failures, []);
  const [ended, ...others] = await workers.end();
  assert.deepEqual(others, []);
  assert.match(ended?.failures[0]?.text ?? '', /took longer than 1 s/);
  assert.deepEqual(ended && listFiles(ended), paths);
});

it('runs its after hooks before the next file starts in the same process', async () => {
  const workers = new TestWorkers();
  const texts = ['first', 'second'].map(
    name =>
      `test('${name}', () => console.log('${name}', process.pid)); after(() => console.log('${name} ends'));`,
  );
  const results = [];
  for (const [index, text] of texts.entries())
    results.push(await workers.run(writeTest(`in turn ${index}`, text), 30_000));
  assert.deepEqual(await workers.end(), []);
  const [first, second] = results.map(({ output }) => output.trim().split(/[ \n]/));
  assert.deepEqual([first?.[1], first?.[3]], [second?.[1], 'ends']);
});
