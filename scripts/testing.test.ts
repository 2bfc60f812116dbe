/** Tests that `npm test` counts only tests that ran, and every failure. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { hashRepository, listRepositoryFiles } from './repository.ts';
import { findUntestedErrors } from './testing/declaredErrors.ts';
import {
  filesAlways,
  filesAtOnceMax,
  longFiles,
  orderLongestFirst,
  runInParallel,
} from './testing/parallelFiles.ts';
import { measuringMemory, processGroupOf } from './testing/processGroups.ts';
import { formatSlowest } from './testing/report.ts';
import { selectTestFiles } from './testing/selection.ts';
import { runTestFile } from './testing/testFile.ts';
import { TestWorkers } from './testing/testWorkers.ts';

const folder = mkdtempSync(join(tmpdir(), 'tapedeck-runner-'));
after(() => rmSync(folder, { recursive: true, force: true }));

type Run = { title: string; text: string; passed: number; failures: RegExp[]; timeMsMax?: number };

const runs: readonly Run[] = [
  { title: 'passes', text: "test('a', () => {}); test('b', () => {});", passed: 2, failures: [] },
  {
    title: 'fails in one of its tests',
    text: "test('a', () => {}); describe('d', () => { it('b', () => { throw new Error('reason'); }); });",
    passed: 1,
    failures: [/^b: Error: reason/],
  },
  {
    title: 'fails below a test that holds it',
    text: "test('a', async t => { await t.test('b', () => { throw new Error('reason'); }); });",
    passed: 0,
    failures: [/^b: Error: reason/],
  },
  {
    title: 'skips a test',
    text: "test('a', () => {}); test.skip('b', () => {});",
    passed: 1,
    failures: [/^b: It was skipped/],
  },
  {
    title: 'has a test still to be written',
    text: "test('a', () => {}); test.todo('b');",
    passed: 1,
    failures: [/^b: It was skipped/],
  },
  { title: 'contains no test', text: "console.log('nothing');", passed: 0, failures: [/contains no test/] },
  {
    title: 'breaks before its tests',
    text: "throw new Error('early');",
    passed: 0,
    failures: [/ended with 1 before its tests did/],
  },
  {
    title: 'ends itself amid its tests',
    text: "test('a', () => process.exit(0));",
    passed: 0,
    failures: [/contains no test|before its tests did/],
  },
  {
    title: 'succeeds and yet ends with an error',
    text: "test('a', () => {}); process.on('exit', () => { process.exitCode = 3; });",
    passed: 1,
    failures: [/ended with 3/],
  },
  {
    title: 'never ends',
    text: "test('a', () => {}); setInterval(() => {}, 1000);",
    passed: 1,
    failures: [/took longer than 1 s/],
    timeMsMax: 1_000,
  },
  {
    title: 'leaves a process behind',
    text: `test('a', () => { spawn('sleep', ['600'], { stdio: 'ignore' }).unref(); });`,
    passed: 1,
    failures: [/left processes running/],
  },
];

function writeTest(title: string, text: string): string {
  const path = join(folder, `${title.replaceAll(' ', '-')}.mjs`);
  const imports =
    "import { describe, it, test } from 'node:test'; import { spawn } from 'node:child_process';";
  writeFileSync(path, `${imports}\n${text}`);
  return path;
}

describe('A file that', () => {
  for (const { title, text, passed, failures, timeMsMax = 30_000 } of runs) {
    it(`${title}: ${passed} passed, ${failures.length} failed`, async () => {
      const result = await runTestFile(writeTest(title, text), timeMsMax);
      assert.equal(result.passed, passed);
      assert.equal(result.failures.length, failures.length, JSON.stringify(result.failures));
      for (const [index, pattern] of failures.entries()) {
        const failure = result.failures[index];
        assert.match(`${failure?.name}: ${failure?.text}`, pattern);
      }
    });
  }

  it("prints is heard, and none of the caller's settings of the service reach it", async () => {
    const path = join(folder, 'output.mjs');
    writeFileSync(
      path,
      "import test from 'node:test'; test('a', () => console.log('PORT', process.env.TAPEDECK_PORT));",
    );
    process.env.TAPEDECK_PORT = '1';
    const { output } = await runTestFile(path, 30_000);
    delete process.env.TAPEDECK_PORT;
    assert.match(output, /PORT undefined/);
  });
});

const sharedPatterns: Readonly<Record<string, RegExp>> = {
  'breaks before its tests': /Error: early/,
  'ends itself amid its tests': /ended with 0 before its tests did/,
};

describe('Beside others in one process, a file that', () => {
  for (const { title, text, passed, failures } of runs) {
    it(`${title}: ${passed} passed, ${failures.length} failed`, async () => {
      const workers = new TestWorkers(1_000);
      const result = await workers.run(writeTest(`shared ${title}`, text), 30_000);
      const after = await workers.run(writeTest(`after ${title}`, "test('next', () => {});"), 30_000);
      const all = [...result.failures, ...(await workers.end()).flatMap(ended => ended.failures)];
      assert.equal(result.passed, passed);
      assert.equal(all.length, failures.length, JSON.stringify(all));
      for (const [index, pattern] of failures.entries())
        assert.match(`${all[index]?.name}: ${all[index]?.text}`, sharedPatterns[title] ?? pattern);
      assert.deepEqual([after.passed, after.failures], [1, []]);
    });
  }
});

describe('Test files', () => {
  const files = [
    'server/tests/a.test.ts',
    'client/src/b.test.ts',
    'server/src/stores/c.engines.ts',
    'server/src/a.ts',
  ];
  const selections = [
    { suite: 'embedded', words: [], selected: [0, 1] },
    { suite: 'engines', words: [], selected: [2] },
    { suite: 'embedded', words: ['./client', 'c.engines'], selected: [1] },
    { suite: 'embedded', words: ['nothing'], selected: [] },
  ] as const;
  for (const { suite, words, selected } of selections) {
    it(`are selected for ${suite} by ${words.join(' or ') || 'no word'}: ${selected.length}`, () => {
      assert.deepEqual(
        selectTestFiles(suite, words, files),
        selected.map(index => files[index]),
      );
    });
  }

  it('are found in the repository, without installed or generated files', () => {
    const all = listRepositoryFiles();
    assert.ok(all.includes('scripts/testing.test.ts'));
    assert.deepEqual(
      all.filter(path => /node_modules|^\.cache|^\.git\/|^data\/|dist\//.test(path)),
      [],
    );
  });

  it('that measure memory are there', () => {
    const all = listRepositoryFiles();
    assert.deepEqual(
      measuringMemory.filter(path => !all.includes(path)),
      [],
    );
    assert.equal(processGroupOf('server/tests/ingest/compressedBodies.test.ts'), 'measuring memory');
  });

  it('no longer count as passed after any change to a file', () => {
    const place = mkdtempSync(join(folder, 'hash-'));
    const hashes = [
      ['a', '1'],
      ['a', '2'],
      ['b', '2'],
    ].map(([name = '', text = '']) => {
      writeFileSync(join(place, name), text);
      return hashRepository(place);
    });
    assert.equal(new Set([...hashes, hashRepository(place)]).size, 3);
  });
});

describe('Side by side', () => {
  const paths = Array.from({ length: 20 }, (_, index) => `file ${index}`);
  const cases = [
    { title: 'on busy processors run so many as always', isSpare: false, wanted: filesAlways },
    { title: 'on idle ones run so many as may', isSpare: true, wanted: filesAtOnceMax },
  ];
  for (const { title, isSpare, wanted } of cases) {
    it(`${title}, and each file once`, async () => {
      const begun: string[] = [];
      let [atOnce, most] = [0, 0];
      const run = async (path: string) => {
        begun.push(path);
        most = Math.max(most, ++atOnce);
        await turn();
        atOnce--;
      };
      await runInParallel(paths, run, () => isSpare);
      assert.deepEqual([begun, most, atOnce], [paths, wanted, 0]);
    });
  }

  it('the long ones come first, and all of them are there', () => {
    const long = longFiles.toReversed();
    assert.deepEqual(orderLongestFirst(['short', ...long, 'b']), [...longFiles, 'short', 'b']);
    const all = listRepositoryFiles();
    assert.deepEqual(
      longFiles.filter(path => !all.includes(path)),
      [],
    );
  });
});

describe('Errors that the contract declares', () => {
  const declared = [
    { id: 'upload', method: 'POST', path: '/file', own: ['file_too_large'], implied: ['token_missing'] },
    { id: 'list', method: 'GET', path: '/file', own: [], implied: ['token_missing'] },
  ];
  const cases = [
    { title: 'are all provoked', observed: ['upload file_too_large', 'list token_missing'], untested: [] },
    {
      title: 'are provoked on another route only',
      observed: ['list file_too_large', 'list token_missing'],
      untested: [/POST \/file \(upload\) declares file_too_large: add a test/],
    },
    {
      title: 'follow from the access and are nowhere provoked',
      observed: ['upload file_too_large'],
      untested: [/Routes declare token_missing/],
    },
  ];
  for (const { title, observed, untested } of cases) {
    it(title, () => {
      const seen = observed.map(line => {
        const [route = '', code = ''] = line.split(' ');
        return { route, code };
      });
      const found = findUntestedErrors(declared, seen);
      assert.equal(found.length, untested.length);
      for (const [index, pattern] of untested.entries()) assert.match(found[index] ?? '', pattern);
    });
  }
});

it('names the ten slowest files of a run, slowest first', () => {
  const results = Array.from({ length: 12 }, (_, index) => ({
    path: `${index}.test.ts`,
    tookMs: index * 1_000,
  }));
  const lines = formatSlowest(results).split('\n');
  assert.equal(lines.length, 11);
  assert.equal(lines[1], '   11.0 s  11.test.ts');
  assert.equal(lines.at(-1), '    2.0 s  2.test.ts');
});
