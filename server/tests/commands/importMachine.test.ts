/** `tapedeck import` of local data: log files in several formats, folders, and options that conflict. */
import assert from 'node:assert/strict';
import { appendFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, describe, it, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import {
  askJson,
  beginImport,
  dataOf,
  importTokens,
  listEntries,
  listFiles,
  runImport,
  startFoundService,
} from '../support/imports.ts';
import { makeDirectory } from '../support/service.ts';
import { runProcess, runTapedeck } from '../support/tapedeck.ts';
import { makePicture, makeSound } from '../support/uploading.ts';

const service = await startFoundService();
const directory = await makeDirectory();
after(async () => {
  await service[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});
const given = dataOf(service);

async function write(name: string, content: string | Buffer): Promise<string> {
  const file = path.join(directory.path, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, content);
  return file;
}

const time = '2026-01-02T03:04:05.000000Z';
const objects = [
  { msg: 'first', level: 'warn', time, player: { id: 1 } },
  { msg: 'sécond', severity: 'error', time },
];
const formats: [string, string, string, string[], [string, string, string, string][]][] = [
  [
    'NDJSON',
    'app.ndjson',
    objects.map(line => JSON.stringify(line)).join('\n'),
    [],
    [
      ['first', 'warn', '', time],
      ['sécond', 'error', '', time],
    ],
  ],
  [
    'custom names',
    'own.log',
    '{"m":"mine","l":"debug","t":"2026-01-02T03:04:05Z","r":"shop"}\r\n\r\n',
    ['--message-field', 'm', '--level-field', 'l', '--time-field', 't', '--resource-field', 'r'],
    [['mine', 'debug', 'shop', time]],
  ],
  [
    'CSV with quotes, line breaks and semicolons',
    'rows.csv',
    'timestamp;level;message;zone\r\n2026-01-02T03:04:05Z;error;"two\nlines; and ""quotes""";1\n',
    [],
    [['two\nlines; and "quotes"', 'error', '', time]],
  ],
  [
    'CSV as this service exports it',
    'export.csv',
    `timestamp,level,resource,traceId,parentId,body,metadata\n${time},warn,shop,0199c0ffee0a7000800000000000000a,,'=1+1,"{""n"":""5""}"\n`,
    [],
    [['=1+1', 'warn', 'shop', time]],
  ],
];

describe('line files', () => {
  for (const [name, file, content, options, expected] of formats) {
    it(name, async () => {
      const dataset = file.replace('.', '-');
      const words = ['logs', await write(file, content), '--dataset', dataset, ...options];
      const counts = await runImport(words, given);
      assert.deepEqual(
        [counts.kind, counts.found, counts.imported],
        ['logs', expected.length, expected.length],
      );
      const entries = await listEntries(service, dataset);
      assert.deepEqual(
        entries.map(({ body, level, resource, timestamp }) => [body, level, resource, timestamp]),
        expected,
      );
    });
  }

  it('plain text resumes after the last line, and a rejected line is counted', async () => {
    const file = await write('plain.txt', 'one\ntwo\n{broken\nthree\n');
    const words = ['logs', file, '--dataset', 'plain'];
    const first = await runImport(words, given);
    assert.deepEqual([first.found, first.imported, first.failed, first.exitCode], [4, 3, 1, 1]);
    await appendFile(file, 'four\n');
    const second = await runImport(words, given);
    assert.deepEqual([second.found, second.imported, second.skipped, second.failed], [5, 1, 3, 1]);
    const entries = await listEntries(service, 'plain');
    assert.deepEqual(
      entries.map(({ body }) => body),
      ['one', 'two', 'three', 'four'],
    );
    await writeFile(file, 'another file of this name\n');
    const third = await runImport(words, given);
    assert.deepEqual([third.found, third.imported], [1, 1]);
  });
});

test('imports a folder with its subfolders as paths, and imports only new files the next time', async () => {
  await write('media/a.png', await makePicture());
  await write('media/clips/b.wav', makeSound());
  await write('media/notes.txt', 'no picture');
  await write('media/.hidden.png', await makePicture());
  const words = ['files', path.join(directory.path, 'media'), '--path', 'old'];
  const first = await runImport(words, given);
  assert.deepEqual([first.found, first.imported, first.failed], [3, 2, 1]);
  await write('media/clips/c.wav', makeSound({ tone: 7 }));
  const second = await runImport(words, given);
  assert.deepEqual([second.found, second.imported, second.skipped, second.failed], [4, 1, 2, 1]);
  const files = await listFiles(service);
  assert.deepEqual(
    files.map(file => [file.path, file.filename, file.metadata]),
    [
      ['old/clips', 'c.wav', { imported: { path: 'clips/c.wav' } }],
      ['old/clips', 'b.wav', { imported: { path: 'clips/b.wav' } }],
      ['old', 'a.png', { imported: { path: 'a.png' } }],
    ],
  );
});

test('keeps odd names; counts what cannot be imported, and imports the rest', async () => {
  const folder = path.join(directory.path, 'odd');
  const names = [
    'Tön & 東京 🎮.png',
    ' two  spaces .png',
    "100% d'$HOME `x`;&.png",
    `${'n'.repeat(200)}.png`,
  ];
  for (const name of names) await write(`odd/${name}`, await makePicture());
  await write('elsewhere.png', await makePicture());
  await symlink(path.join(directory.path, 'elsewhere.png'), path.join(folder, 'link.png'));
  await symlink('nowhere', path.join(folder, 'dangling.png'));
  await symlink('..', path.join(folder, 'loop'));
  await write('odd/empty.png', '');
  await writeFile(Buffer.concat([Buffer.from(`${folder}/latin1-`), Buffer.from([0xe9])]), 'é');
  const words = ['import', 'files', folder, '--path', 'odd', '--json'];
  const { exitCode, printed, complained } = await runProcess(words, { environment: given });
  const counts = JSON.parse(printed.trimEnd().split('\n').at(-1) ?? '');
  assert.deepEqual(counts, { kind: 'files', found: 9, imported: 5, skipped: 0, failed: 4 }, complained);
  assert.equal(exitCode, 1);
  for (const sentence of [
    /dangling\.png.*link to nothing/,
    /loop.*link to a folder/,
    /latin1-.*not UTF-8/,
    /empty\.png/,
  ])
    assert.match(complained, sentence);
  const stored = (await listFiles(service)).filter(file => file.path === 'odd');
  assert.deepEqual(
    stored
      .map(({ metadata }) => metadata.imported)
      .map(imported => JSON.stringify(imported))
      .toSorted(),
    [...names, 'link.png'].map(name => JSON.stringify({ path: name })).toSorted(),
  );
});

test('CSV with broken rows: short, long, and with unclosed quotes', async () => {
  const rows = ['message,level', 'short', 'long,warn,more,and more', '"open,info', 'next,info', '"end,error'];
  const file = await write('broken.csv', rows.join('\n'));
  const counts = await runImport(['logs', file, '--dataset', 'broken-csv'], given);
  assert.deepEqual([counts.found, counts.imported, counts.failed], [5, 5, 0]);
  const entries = await listEntries(service, 'broken-csv');
  assert.deepEqual(
    entries.map(({ body, level }) => [body, level]),
    [
      ['short', 'info'],
      ['long', 'warn'],
      ['"open', 'info'],
      ['next', 'info'],
      ['"end', 'error'],
    ],
  );
});

test('killed imports of lines and of a folder resume where they stopped', async () => {
  const entries = 200_000; // fewer are imported before a busy machine has noticed the first
  const lines = Array.from({ length: entries }, (_, index) => `line ${index} ${'x'.repeat(100)}`);
  const file = await write('killed.log', lines.join('\n'));
  for (let number = 0; number < 40; number++)
    await write(`killed/${number}.wav`, Buffer.concat([makeSound(), Buffer.from(`number ${number}`)]));
  const count = async (kind: 'logs' | 'file', query: string) => {
    const token = kind === 'logs' ? importTokens.logs : importTokens.media;
    const place = `/api/v3/${kind}?${query}&limit=1&includeTotal=true`;
    return (await askJson<{ pagination: { total: number } }>(service, place, token)).pagination.total;
  };
  const rows = [
    {
      words: ['logs', file, '--dataset', 'killed'],
      all: entries,
      arrived: () => count('logs', 'dataset=killed'),
    },
    {
      words: ['files', path.join(directory.path, 'killed'), '--path', 'killed'],
      all: 40,
      arrived: () => count('file', 'path=killed'),
    },
  ];
  for (const { words, all, arrived } of rows) {
    const begun = beginImport(words, given);
    // The command prints nothing about this. Once more has arrived, its state holds what arrived first.
    const first = await awaitMore(arrived, 0);
    if (words[0] === 'logs') await awaitMore(arrived, first);
    begun.kill();
    assert.equal((await begun.ended).printed, '', 'it ended before it was killed');
    const counts = await runImport(words, given);
    assert.deepEqual([counts.found, counts.imported + counts.skipped, counts.failed], [all, all, 0]);
    assert.ok(counts.skipped > 0 || words[0] === 'files', 'it started over');
    assert.equal(await arrived(), all);
  }
});

async function awaitMore(arrived: () => Promise<number>, count: number): Promise<number> {
  for (let found = await arrived(); ; found = await arrived()) {
    if (found > count) return found;
    await wait(20);
  }
}

describe('conflicting arguments', () => {
  const rows: [string, string[], RegExp][] = [
    ['no source', ['files'], /Name either a service with --from URL/],
    ['two sources', ['logs', 'a.log', '--from', 'http://a.example'], /Name either a service with --from URL/],
    ['no token', ['logs', '--from', 'http://a.example'], /--token T or TAPEDECK_TOKEN/],
    ['no URL', ['files', '--from', 'a.example', '--token', 't'], /--from must be a URL/],
    [
      'no time',
      ['files', '--from', 'http://a.example', '--token', 't', '--since', 'soon'],
      /--since must be/,
    ],
    ['redirects of a folder', ['files', '.', '--redirects', 'x'], /--redirects does not apply to FOLDER/],
    ['a path for a service', ['files', '--from', 'http://a.example', '--path', 'x'], /--path does not apply/],
    [
      'fields for a service',
      ['logs', '--from', 'http://a.example', '--time-field', 'x'],
      /--time-field does not/,
    ],
    ['two datasets for a file', ['logs', 'a.log', '--dataset', 'a,b'], /give --dataset once/],
  ];
  for (const [name, words, sentence] of rows) {
    it(name, async () => {
      const { exitCode, complained } = await runTapedeck(['import', ...words], given);
      assert.deepEqual([exitCode, sentence.test(complained)], [2, true], complained);
    });
  }

  it('a source that rejects the token', async () => {
    const words = ['import', 'files', '--from', service.url, '--token', 'wrong-token-of-nobody'];
    const { exitCode, complained } = await runTapedeck(words, given);
    assert.deepEqual([exitCode, /refuses the token.*--token/.test(complained)], [1, true], complained);
  });
});
