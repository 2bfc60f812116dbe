/** Tests that the test runner knows which test runs, without a hook on each promise of its process. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { runTestFile } from './testFile.ts';
import { TestWorkers } from './testWorkers.ts';

const folder = mkdtempSync(join(tmpdir(), 'tapedeck-followed-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const until = "new Promise(resolve => t.signal.addEventListener('abort', resolve))";
const runs: readonly (readonly [title: string, text: string, passed: number, failures: RegExp[]])[] = [
  [
    'an error in a timer fails the test that set it',
    `test('a', async t => { setTimeout(() => { throw new Error('late'); }, 5); await ${until}; }); test('b', () => {});`,
    1,
    [/^a: Error: late/],
  ],
  [
    'a promise that nobody awaits fails the test that made it',
    `test('a', async t => { setTimeout(() => Promise.reject(new Error('late')), 5); await ${until}; }); test('b', () => {});`,
    1,
    [/^a: Error: late/],
  ],
  [
    'a test below a suite that has waited belongs to it',
    "await wait(5); describe('d', () => { it('b', async () => { await wait(5); await test('c', () => { throw new Error('reason'); }); }); });",
    0,
    [/^c: Error: reason/],
  ],
  [
    'promises have no ids, which only hooks need',
    "test('a', async () => { await wait(1); if (executionAsyncId() !== 0) throw new Error('followed'); });",
    1,
    [],
  ],
];

for (const [title, text, passed, failures] of runs) {
  it(title, async () => {
    const path = join(folder, `${title.replaceAll(' ', '-')}.mjs`);
    const imports = [
      "import { executionAsyncId } from 'node:async_hooks';",
      "import { describe, it, test } from 'node:test';",
      "import { setTimeout as wait } from 'node:timers/promises';",
    ];
    writeFileSync(path, [...imports, text].join('\n'));
    const workers = new TestWorkers(1_000);
    const results = [await runTestFile(path, 30_000), await workers.run(path, 30_000)];
    assert.deepEqual(await workers.end(), []);
    for (const result of results) {
      assert.equal(result.passed, passed);
      const told = result.failures.map(failure => `${failure.name}: ${failure.text}`);
      assert.equal(told.length, failures.length, told.join('\n'));
      for (const [index, pattern] of failures.entries()) assert.match(told[index] ?? '', pattern);
    }
  });
}
