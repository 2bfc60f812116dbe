/** Exports over HTTP: their format and completeness, flat memory, and no work for clients that have disconnected. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { after, describe, it, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { LogEntry, queryLogs } from '@tapedeck/contract/logs';
import { revokeToken } from '@tapedeck/contract/tokens';
import { attachEngine, queryRows } from '@tapedeck/log-store/testing';
import Value from 'typebox/value';
import { describeRefusal } from '../support/client.ts';
import { readAs } from '../support/jsonAnswers.ts';
import { openLogClient } from '../support/logSender.ts';
import { findEngineProcess, readBodies } from '../support/logWriters.ts';
import { addToken } from '../support/people.ts';
import { makeDirectory, startTestService } from '../support/service.ts';
import { startProcess } from '../support/tapedeck.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { owner, token, get, store } = await openLogClient(service);
const bigBatches = 6;
const exportsMax = 4; // concurrent exports
const quietMsMax = 30_000; // an export that nobody reads would never end
const cutMsMax = 60_000; // data already in flight is read first, slowly on a busy machine
const odd = [
  { level: 'info', message: 'plain', resource: 'r', metadata: { a: 1 } },
  { level: 'warn', message: 'a "quoted", comma\r\nand\nlines ; =1+1', resource: ' blank ' },
  { level: 'error', message: 'ünï🎞️\0', parentId: 'p', metadata: { 'k"': 'v,"\n' } },
];

/** Parses CSV by RFC 4180. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const match of text.matchAll(/("(?:[^"]|"")*"|[^,"\r\n]*)(,|\r\n)/g)) {
    const field = match[1]!.startsWith('"') ? match[1]!.slice(1, -1).replaceAll('""', '"') : match[1]!;
    rows.at(-1)!.push(field);
    if (match[2] === '\r\n') rows.push([]);
  }
  assert.deepEqual(rows.pop(), []);
  return rows;
}

describe('an export', () => {
  it('as NDJSON has an entry per line, as returned elsewhere', async () => {
    await store(odd, 'odd');
    const { data } = await readAs(queryLogs.answer, await get('?dataset=odd'));
    const response = await get('/export?dataset=odd');
    assert.match(response.headers.get('content-type') ?? '', /^application\/x-ndjson/);
    const lines = (await response.text()).split('\n');
    assert.equal(lines.pop(), '');
    const entries: unknown[] = lines.map(line => JSON.parse(line));
    assert.ok(entries.every(entry => Value.Check(LogEntry, entry)));
    assert.deepEqual(entries, data);
  });

  it('as CSV has the documented columns', async () => {
    const { data } = await readAs(queryLogs.answer, await get('?dataset=odd&order=asc'));
    const response = await get('/export?dataset=odd&format=csv&order=asc');
    assert.match(response.headers.get('content-type') ?? '', /^text\/csv/);
    assert.match(response.headers.get('content-disposition') ?? '', /^attachment; filename="logs\.csv"$/);
    const [head, ...rows] = parseCsv(await response.text());
    assert.deepEqual(head, ['timestamp', 'level', 'resource', 'traceId', 'parentId', 'body', 'metadata']);
    const expected = data.map(entry => [
      entry.timestamp,
      entry.level,
      entry.resource,
      entry.traceId,
      entry.parentId,
      entry.body,
      JSON.stringify(entry.metadata),
    ]);
    assert.deepEqual(rows, expected);
  });

  it('of nothing is empty, or only a header', async () => {
    assert.equal(await (await get('/export?dataset=none')).text(), '');
    const csv = await (await get('/export?dataset=none&format=csv')).text();
    assert.equal(csv, 'timestamp,level,resource,traceId,parentId,body,metadata\r\n');
  });

  it('applies filter and order', async () => {
    const read = async (query: string) =>
      Array.fromAsync(readBodies(await get(`/export?dataset=odd&${query}`)));
    assert.deepEqual(await read('level=info,error&order=asc'), [odd[0]!.message, odd[2]!.message]);
    assert.deepEqual(await read('body=comma'), [odd[1]!.message]);
    assert.deepEqual(await read('order=desc'), odd.map(({ message }) => message).toReversed());
  });

  for (const query of ['format=xml', 'format=', 'order=up', 'level=x', 'from=now', 'dataset=a%20b']) {
    it(`rejects ${query}`, async () =>
      assert.equal(await describeRefusal(await get(`/export?${query}`)), '400 invalid_field'));
  }
});

async function untilQuiet(): Promise<void> {
  const engine = await attachEngine(`${service.dataDir}/logs`);
  const sql = `SELECT count() FROM system.processes WHERE (query LIKE '%toUnixTimestamp64Micro(timestamp)%' OR query LIKE '%cityHash64(path, value)%')
    AND query NOT LIKE '%system.processes%'`;
  const deadline = performance.now() + quietMsMax;
  while (Number((await queryRows(engine, { sql }))[0]?.[0]) > 0) {
    assert.ok(performance.now() < deadline, 'the engine still works for a disconnected client');
    await wait(20);
  }
}

test('a client that disconnects stops its work in the engine, for an export, a search or a comparison', async () => {
  const items = Array.from({ length: 10_000 }, (_, index) => ({
    level: 'info',
    message: `${index} ${'some words that fill a line '.repeat(12)}`,
  }));
  for (let batch = 0; batch < bigBatches; batch++) await store(items, 'big');
  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const lastHours = `from=${at(-1)}&to=${at(1)}&baselineFrom=${at(-2)}&baselineTo=${at(0)}`;
  const paths = [
    '/export?dataset=big',
    '/export?dataset=big&format=csv',
    '?dataset=big&body=absent&includeTotal=true',
    `/comparison?dataset=big&${lastHours}`,
  ];
  for (const path of paths) {
    for (let round = 0; round < 8; round++) {
      const headers = { authorization: token };
      // On a new connection, since one that is kept open does not connect again.
      const sent = request(`${service.url}/api/v3/logs${path}`, { headers, agent: false });
      sent.on('error', () => {}); // this side ends it
      sent.on('response', response => response.on('error', () => {}).pause());
      sent.end();
      await new Promise<void>(resolve => sent.once('socket', socket => socket.once('connect', resolve)));
      for (let turn = 0; turn <= round; turn++) await wait(10);
      sent.destroy();
    }
    await untilQuiet();
  }
  assert.equal((await readAs(queryLogs.answer, await get('?dataset=big&limit=1'))).data.length, 1);
});

test('a HEAD request for an export reads nothing', async () => {
  const engine = await findEngineProcess(process.pid);
  process.kill(engine!, 'SIGSTOP');
  try {
    const url = `${service.url}/api/v3/logs/export?dataset=big&format=csv`;
    const response = await fetch(url, { method: 'HEAD', headers: { authorization: token } });
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-type') ?? '', /^text\/csv/);
    assert.match(response.headers.get('content-disposition') ?? '', /logs\.csv/);
  } finally {
    process.kill(engine!, 'SIGCONT');
  }
});

test('readers who disconnect before their exports begin leave no query and hold no slot', async () => {
  const engine = await findEngineProcess(process.pid);
  process.kill(engine!, 'SIGSTOP'); // so that no export begins
  try {
    const leaving = Array.from({ length: exportsMax + 2 }, async (_, number) => {
      const leaver = new AbortController();
      const headers = { authorization: token };
      const url = `${service.url}/api/v3/logs/export?dataset=big`;
      const aborted = assert.rejects(fetch(url, { headers, signal: leaver.signal }));
      for (let turn = 0; turn <= number; turn++) await wait(20); // at various points of the export
      leaver.abort();
      await aborted;
    });
    await Promise.all(leaving);
  } finally {
    process.kill(engine!, 'SIGCONT');
  }
  await untilQuiet();
  const held = await Promise.all(Array.from({ length: exportsMax }, () => get('/export?dataset=big')));
  assert.ok(held.every(({ status }) => status === 200));
  for (const response of held) await response.body?.cancel();
});

test('waits for an engine that is killed during an export, which is then complete', async () => {
  const lines: string[] = [];
  const response = await get('/export?dataset=big&order=asc');
  let isKilled = false;
  for await (const body of readBodies(response)) {
    lines.push(body.split(' ')[0]!);
    if (lines.length < 1_000 || isKilled) continue;
    isKilled = true;
    const engine = await findEngineProcess(process.pid);
    process.kill(engine!, 'SIGKILL');
  }
  assert.ok(isKilled);
  const expected = Array.from({ length: bigBatches }, () =>
    Array.from({ length: 10_000 }, (_, index) => String(index)),
  );
  assert.deepEqual(lines, expected.flat());
});

test('exports hundreds of thousands of entries without buffering them', async () => {
  await using directory = await makeDirectory();
  const secret = 'logs-token-of-the-export-test-00';
  await using serving = await startProcess({
    TAPEDECK_DATA_DIR: directory.path,
    TAPEDECK_LOGS_TOKEN: secret,
  });
  const message = 'm'.repeat(300);
  const body = JSON.stringify(Array(10_000).fill({ level: 'info', message }));
  const batches = 20;
  const headers = { authorization: secret, 'content-type': 'application/json' };
  for (let batch = 0; batch < batches; batch++) {
    const stored = await fetch(`${serving.url}/api/v3/logs`, { method: 'POST', headers, body });
    assert.equal(stored.status, 200);
  }
  const residentBytes = async () => {
    const status = await readFile(`/proc/${serving.child.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024;
  };
  const before = await residentBytes();
  let peak = 0;
  let lines = 0;
  const response = await fetch(`${serving.url}/api/v3/logs/export`, { headers });
  let chunks = 0;
  for await (const chunk of response.body ?? []) {
    lines += Buffer.from(chunk).toString('latin1').split('\n').length - 1;
    if (chunks++ % 100 === 0) peak = Math.max(peak, await residentBytes());
  }
  assert.equal(lines, batches * 10_000);
  const grownMegabytes = (peak - before) / 1e6;
  assert.ok(grownMegabytes < 80, `it grew by ${grownMegabytes} MB`); // of 90 MB that passed through
});

test('an export is cut off when its token is revoked', async () => {
  const entries = Array.from({ length: 150 }, () => ({ level: 'info', message: 'x'.repeat(60_000) }));
  for (let batch = 0; batch < 3; batch++) await store(entries, 'revoked'); // more than the system buffers for a connection
  const held = await addToken(owner, { kind: 'logs' });
  const sent = request(`${service.url}/api/v3/logs/export?dataset=revoked`, {
    headers: { authorization: held.token },
  });
  const [response] = (await once(sent.end(), 'response')) as [IncomingMessage]; // as documented
  let isCut = false;
  response.once('error', () => {
    isCut = true;
  });
  await owner.call(revokeToken, { params: { project: 'default', token: held.id } });
  const revokedAt = performance.now();
  while (!isCut) {
    assert.ok(!response.readableEnded && performance.now() - revokedAt < cutMsMax);
    response.read(); // so little at a time that reading everything takes eight seconds
    await wait(20);
  }
});
