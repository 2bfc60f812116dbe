/** Small repositories with one fault or none: what each rule must find, and what it must leave alone. */

import { sizeUnits } from './binaryUnits.ts';
import * as documents from './documents.ts';
import { importExamples } from './importExamples.ts';
import * as lockFile from './lockFile.ts';
import type { Example } from './rule.ts';
import { shapeExamples } from './shapeExamples.ts';
import * as testing from './testing.ts';
import * as words from './words.ts';

const test = 'server/tests/door.test.ts';

const testExamples: readonly Example[] = [
  ...['test.skip(f);', 't.todo();', "it('', { only: true }, f);", 'describe.only(f);'].map(text => ({
    rule: testing.everyTestRuns,
    title: text,
    files: { [test]: text },
    advice: /leaves tests out/,
  })),
  {
    rule: testing.everyTestRuns,
    title: 'a custom list',
    files: { [test]: "list.skip(3); test('', { timeout: 1 }, f);" },
  },
  ...[
    'await new Promise(resolve => setTimeout(resolve, 9));',
    'await new Promise(done => { setTimeout(() => done(), 9); });',
    "import { setTimeout as wait } from 'node:timers/promises'; await wait(9);",
    'await sleep(9);',
  ].map(text => ({ rule: testing.noSleeps, title: text, files: { [test]: text }, advice: /waits for time/ })),
  {
    rule: words.tradeWords,
    title: 'a file named in dialect',
    files: { 'server/src/http/chatDoor.ts': '' },
    advice: /"door" is our own word: say ingest/,
  },
  {
    rule: words.tradeWords,
    title: 'a word that only contains one of them',
    files: { 'server/src/http/mushrooms.ts': '' },
  },
  {
    rule: testing.noSleeps,
    title: 'a deadline, and a pause between two polls',
    files: {
      [test]: `import { setTimeout as wait } from 'node:timers/promises';
        await new Promise((_, reject) => setTimeout(() => reject(new Error()), 9));
        while (!seen) await wait(9);`,
    },
  },
];

const wordExamples: readonly Example[] = [
  ...['server/src/utils.ts', 'server/src/http/requestHelpers.ts', 'client/common/a.ts'].map(path => ({
    rule: words.fileNames,
    title: path,
    files: { [path]: '' },
    advice: /says nothing/,
  })),
  {
    rule: sizeUnits,
    title: 'a decimal size in a guide',
    files: { 'docs/uploads.md': 'Up to 32 MB.' },
    advice: /MiB/,
  },
  { rule: words.fileNames, title: 'a database', files: { 'server/src/database.ts': '' } },
  ...[
    ['README.md', 'It lies in /home/someone/tapedeck.'],
    ['a.ts', "run('/opt/node/bin/node');"],
    ['a.md', 'See issue 12.'],
    ['a.ts', '// Mends #12.'],
    ['a.ts', '// TODO later'],
    ['a.json', '"https://registry.example.org/x"'],
  ].map(([path = '', text = '']) => ({
    rule: words.words,
    title: text,
    files: { [path]: text },
    advice: /:/,
  })),
  {
    rule: words.words,
    title: 'routes, colours and fragments',
    files: {
      'a.ts': "get('/api/home/x'); const colour = '#123456'; go('/users/me');",
      'a.css': 'a { color: #123 }',
    },
  },
  {
    rule: lockFile.lockFile,
    title: 'a lock file that lacks a package of other platforms',
    files: { 'package-lock.json': '{"packages":{"node_modules/a":{"optionalDependencies":{"a-mac":"1"}}}}' },
    advice: /lacks a-mac/,
  },
  {
    rule: lockFile.lockFile,
    title: 'a lock file that names a host',
    files: {
      'package-lock.json': '{"packages":{"node_modules/a":{\n"resolved": "https://example.org/a.tgz"}}}',
    },
    advice: /names a host/,
  },
  {
    rule: lockFile.lockFile,
    title: 'a package that could be anything',
    files: { 'package-lock.json': '{"packages":{"server":{},"node_modules/a":{"version":"1.0.0"}}}' },
    advice: /no integrity for node_modules\/a:/,
  },
  {
    rule: lockFile.lockFile,
    title: 'workspace packages, and nested ones',
    files: {
      'package-lock.json':
        '{"packages":{"server":{},"node_modules/server":{"link":true},"node_modules/a":{"integrity":"sha512-x"},"node_modules/a/node_modules/b":{"inBundle":true}}}',
    },
  },
];

const documentExamples: readonly Example[] = [
  {
    rule: documents.namesInDocuments,
    title: 'a renamed file',
    files: { 'ARCHITECTURE.md': 'See `domain/walls.ts`.', 'packages/domain/src/fences.ts': '' },
    advice: /names domain\/walls\.ts/,
  },
  {
    rule: documents.namesInDocuments,
    title: 'a broken link',
    files: { 'packages/a/README.md': '[Why](DECISIONS.md)', 'DECISIONS.md': '' },
    advice: /names packages\/a\/DECISIONS\.md/,
  },
  {
    rule: documents.namesInDocuments,
    title: 'existing files and folders',
    files: { 'a/README.md': '`src/b.ts` in `src/`, [c](../c.md), `*.test.ts`', 'a/src/b.ts': '', 'c.md': '' },
  },
  {
    rule: documents.map,
    title: 'a package that is missing from the map',
    files: { 'ARCHITECTURE.md': '```\npackages/a/ first\n```', 'packages/a/b.ts': '', 'packages/b/b.ts': '' },
    advice: /lacks packages\/b\//,
  },
  {
    rule: documents.decisions,
    title: 'a decision that is recorded twice',
    files: {
      'DECISIONS.md': '[a](a/DECISIONS.md)\n## 2026-01-01 Walls',
      'a/DECISIONS.md': '## 2026-01-02 Walls',
    },
    advice: /"Walls" stands in DECISIONS\.md/,
  },
];

export const examples: readonly Example[] = [
  ...documentExamples,
  ...importExamples,
  ...shapeExamples,
  ...testExamples,
  ...wordExamples,
];
