/** The query language over HTTP: what each expression finds and does not find, and where errors are reported. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import * as contract from '@tapedeck/contract/logs';
import { describeRefusal } from '../support/client.ts';
import { readAs } from '../support/jsonAnswers.ts';
import { follow } from '../support/logFollowers.ts';
import { openLogClient } from '../support/logSender.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { token, get, store } = await openLogClient(service);
const baseMs = Date.now() - 3_600_000;

const anna = { player: { id: 43, name: 'Anna' }, ms: 250 };
const ben = { player: { id: 44, name: 'Ben B' }, ms: '1e3' };
const entries = [
  { level: 'error', message: 'Connection to oxmysql lost', resource: 'db', metadata: anna },
  { level: 'error', message: 'connection refused', resource: 'shop', parentId: 'p1', metadata: ben },
  { level: 'warn', message: 'tick took 12 ms', resource: 'core', metadata: { ms: 12, 'a"b': '' } },
  { level: 'info', message: 'speed-hack 100% a_b\\c', resource: 'Shop', metadata: { ms: '007', level: 9 } },
  { level: 'debug', message: '', metadata: { ms: 'fast', 'old town': 'ΟΔΥΣΣΕΥΣ', items: [{ id: "it's" }] } },
  { level: 'info', message: 'OR else 12:30', resource: 'chat', metadata: { note: 'a\0b\nc', big: '1e999' } },
].map((entry, index) => ({ ...entry, timestamp: baseMs + index * 1000 }));
const all = entries.map((_, index) => index);

await store(entries, 'play');
await store([{ level: 'error', message: 'elsewhere' }], 'other');

const ask = async (parameters: Record<string, string>) =>
  readAs(contract.queryLogs.answer, await get(`?${new URLSearchParams(parameters)}`));

const { data: stored } = await ask({ dataset: 'play', order: 'asc' });
const firstTraceId = stored[0]!.traceId;

describe('finds', () => {
  const rows: readonly [query: string, found: readonly number[]][] = [
    ['', all],
    ['  ', all],
    ['*', all],
    ['""', all],
    ['connection', [0, 1]],
    ['nnecti', [0, 1]],
    ['connection lost', [0]],
    ['connection AND refused', [1]],
    ['"connection refused"', [1]],
    ['"refused connection"', []],
    ['connection -oxmysql', [1]],
    ['connection NOT oxmysql', [1]],
    ['lost OR refused', [0, 1]],
    ['lost OR refused tick', [0]],
    ['(lost OR refused) level:error', [0, 1]],
    ['-(lost OR refused)', [2, 3, 4, 5]],
    ['-connection -tick -ms:*', [5]],
    ['conn*lost', [0]],
    ['lost*conn', []],
    ['speed-hack', [3]],
    ['"OR"', [2, 5]],
    ['"OR" else', [5]],
    ['"12:30"', [5]],
    ['100%', [3]],
    ['a_b\\c', [3]],
    ['anna', [0]],
    ['οδυσσευς', [4]],
    ['shop', [1, 3]],
    [firstTraceId, [0]],
    [firstTraceId.toUpperCase(), [0]],
    ['p1', [1]],
    ['level:error', [0, 1]],
    ['level:ERR', [0, 1]],
    ['level:(warning,fatal)', [0, 1, 2]],
    ['level=info', [3, 5]],
    ['-level:error', [2, 3, 4, 5]],
    ['level:w*', [2]],
    ['level:*', all],
    ['"level":warn', [2]],
    ['metadata.level:9', [3]],
    ['"metadata.level":9', [3]],
    ['resource:shop', [1]],
    ['resource:S*', [1, 3]],
    ['resource:""', [4]],
    ['resource:*', [0, 1, 2, 3, 5]],
    ['-resource:*', [4]],
    ['body:connection', [0, 1]],
    ['message:REFUSED', [1]],
    ['msg:anna', []],
    ['body:"tick took"', [2]],
    ['body:conn*lost', [0]],
    ['body:(tick,refused)', [1, 2]],
    ['body:*', [0, 1, 2, 3, 5]],
    ['body:""', [4]],
    ['player.id:43', [0]],
    ['player.id=43', [0]],
    ['player.id:4', []],
    ['metadata.player.id:(43,44)', [0, 1]],
    ['player.id:(43 OR 44) refused', [1]],
    ['player.name:An*', [0]],
    ['player.name:an*', [0]],
    ['player.name:anna', []],
    ['player.name:(Anna,"Ben B")', [0, 1]],
    ['player.name:(B*,x)', [1]],
    ['player.id:*', [0, 1]],
    ['-player.id:43', [1, 2, 3, 4, 5]],
    ['"old town":*', [4]],
    ['"old town":"ΟΔΥΣΣΕΥΣ"', [4]],
    ['"old town":οδυσσευσ', []],
    ['"old town":ο*σ', [4]],
    [`items.0.id:"it's"`, [4]],
    ['"a\\"b":""', [2]],
    ['"a\\"b":x', []],
    ['absent:""', []],
    ['-absent:*', all],
    ['note:a*c', [5]],
    ['note:"a\0b\nc"', [5]],
    ['ms:>100', [0, 1]],
    ['ms>=250', [0, 1]],
    ['ms:<=12', [2]],
    ['ms<1e3', [0, 2]],
    ['-ms:>100', [2, 3, 4, 5]],
    ['big:>1e308', [5]],
    ['big:>1e999', []],
    ['big:>=1e999', [5]],
    ['level:>0', []],
    [`traceId:${firstTraceId}`, [0]],
    [`traceId:${firstTraceId.toUpperCase()}`, []],
    [`-traceId:${firstTraceId}`, [1, 2, 3, 4, 5]],
    [`traceId:${firstTraceId.slice(0, 16)}*${firstTraceId.slice(-3)}`, [0]],
    ['parentId:p1', [1]],
    ['parentId:P1', []],
    ['parentId:p*', [1]],
    ['dataset:play', all],
    ['dataset:other', []],
    ["x:'; DROP TABLE logs; --", []],
    ["body:' OR 1=1", []],
    [`x:(${Array.from({ length: 300 }, (_, index) => `${index}*`).join()}) OR lost`, [0]],
    [Array.from({ length: 64 }, (_, index) => `-b${index}:(x,y*,z*)`).join(' '), all],
  ];
  for (const [query, found] of rows) {
    it(JSON.stringify(query.slice(0, 100)), async () => {
      const { data, pagination } = await ask({ dataset: 'play', order: 'asc', includeTotal: 'true', query });
      assert.deepEqual(
        data.map(({ body }) => body),
        found.map(index => entries[index]!.message),
      );
      assert.equal(pagination.total, found.length);
    });
  }
});

describe('combines with the other parameters', () => {
  const rows: readonly [parameters: Record<string, string>, found: readonly string[]][] = [
    [{ query: 'connection OR tick', level: 'error' }, ['Connection to oxmysql lost', 'connection refused']],
    [{ query: 'lost OR refused', 'metadata.player.id': '43' }, ['Connection to oxmysql lost']],
    [{ query: 'dataset:other', dataset: '*' }, ['elsewhere']],
    [
      { query: 'level:error', dataset: '*', to: new Date(baseMs).toISOString() },
      ['Connection to oxmysql lost'],
    ],
    [{ query: 'level:error', level: 'warn' }, []],
  ];
  for (const [parameters, found] of rows) {
    it(JSON.stringify(parameters), async () => {
      const { data } = await ask({ dataset: 'play', order: 'asc', ...parameters });
      assert.deepEqual(
        data.map(({ body }) => body),
        found,
      );
    });
  }

  it('every value of every parameter in turn', async () => {
    const many = (make: (index: number) => string) => Array.from({ length: 64 }, (_, index) => make(index));
    const parameters = new URLSearchParams({ dataset: 'play' });
    parameters.set('body', many(index => `abc${index}def`).join(' '));
    parameters.set('q', many(index => `q${index}`).join(' '));
    parameters.set('query', many(index => `x:(a*,b${index}*,c*,d*)`).join(' '));
    for (const path of many(index => `m${index}`)) parameters.set(`metadata.${path}`, path);
    assert.deepEqual((await readAs(contract.queryLogs.answer, await get(`?${parameters}`))).data, []);
  });
});

describe('returns 400 query_invalid with the position of the mistake', () => {
  const rows: readonly [query: string, position: number][] = [
    ['"open', 0],
    ['a (b', 2],
    ['a)', 1],
    ['()', 0],
    ['a OR', 2],
    ['AND a', 0],
    ['NOT', 0],
    ['NOT NOT a', 4],
    ['NOT -a', 4],
    ['player.id:', 10],
    ['player.id: 43', 10],
    ['😀 level:loud', 9],
    ['ms:>fast', 4],
    ['ms:>', 4],
    [':a', 0],
    ['x:(a b)', 5],
    ['x:()', 2],
    ['!='.padStart(3, 'a'), 1],
    ['a'.repeat(2049), 2048],
    [`${'('.repeat(17)}a${')'.repeat(17)}`, 16],
    [Array.from({ length: 65 }, () => 'a').join(' '), 128],
  ];
  for (const [query, position] of rows) {
    it(JSON.stringify(query.slice(0, 40)), async () => {
      const response = await get(`?${new URLSearchParams({ query })}`);
      assert.equal(await describeRefusal(response.clone()), '400 query_invalid');
      const { error, ...rest } = (await response.json()) as Record<string, unknown>;
      assert.deepEqual(rest, { code: 'query_invalid', field: 'query', position });
    });
  }
});

describe('other log requests', () => {
  const query = 'connection -oxmysql';
  const parameters = `?${new URLSearchParams({ dataset: 'play', query })}`;

  it('a histogram is compressed for clients that accept it', async () => {
    const { headers } = await get(`/histogram${parameters}&buckets=100`);
    assert.deepEqual([headers.get('content-encoding'), headers.get('vary')], ['gzip', 'Accept-Encoding']);
  });

  it('a histogram counts the matches', async () => {
    const answer = await readAs(contract.getHistogram.answer, await get(`/histogram${parameters}&buckets=1`));
    assert.deepEqual(
      answer.data.map(({ counts }) => counts),
      [{ debug: 0, info: 0, warn: 0, error: 1 }],
    );
  });

  it('facets count the matches', async () => {
    const answer = await readAs(contract.getFacets.answer, await get(`/facets${parameters}&field=resource`));
    assert.deepEqual(answer.data, [{ value: 'shop', count: 1 }]);
  });

  it('an export contains the matches', async () => {
    const lines = (await (await get(`/export${parameters}`)).text()).trim().split('\n');
    assert.deepEqual(
      lines.map(line => (JSON.parse(line) as { body: string }).body),
      ['connection refused'],
    );
  });

  it('the context of an entry contains the matches around it', async () => {
    const path = `/${firstTraceId}/context${parameters}`;
    const { data } = await readAs(contract.getLogContext.answer, await get(path));
    assert.deepEqual(
      data.after.map(({ body }) => body),
      ['connection refused'],
    );
  });

  it('pages by cursor contain the matches', async () => {
    const query = '-connection';
    const first = await ask({ dataset: 'play', query, limit: '3' });
    const rest = await ask({ dataset: 'play', query, limit: '3', cursor: first.pagination.nextCursor ?? '' });
    assert.deepEqual(
      [...first.data, ...rest.data].map(({ body }) => body),
      [5, 4, 3, 2].map(index => entries[index]!.message),
    );
  });

  it('a tail sends the matches', async () => {
    await using follower = await follow(
      service.url,
      new URLSearchParams({
        dataset: 'told',
        query: 'ms:>100 -level:debug (harbour OR place:old*)',
      }).toString(),
      { token },
    );
    const makeEntry = (message: string, metadata: object, level = 'info') => ({ level, message, metadata });
    await store(
      [
        makeEntry('Harbour one', { ms: 101 }),
        makeEntry('harbour', { ms: 100 }),
        makeEntry('harbour', { ms: 200 }, 'debug'),
        makeEntry('two', { ms: '1e3', place: 'Old town' }),
        makeEntry('three', { ms: 300, place: 'an old town' }),
        makeEntry('last', { ms: 300, place: 'OLD' }),
      ],
      'told',
    );
    assert.deepEqual(await follower.takeBodies(3), ['Harbour one', 'two', 'last']);
  });

  for (const path of ['/histogram', '/facets', '/export', '/tail', `/${firstTraceId}/context`]) {
    it(`${path.replace(firstTraceId, '…')} reports the position of the mistake`, async () => {
      const response = await get(`${path}?field=level&query=a)`);
      assert.equal(await describeRefusal(response.clone()), '400 query_invalid');
      assert.equal(((await response.json()) as { position: number }).position, 1);
    });
  }
});
