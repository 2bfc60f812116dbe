/** A project's logs for its users: their sessions find what tokens find by V3. */
import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { compareLogs } from '@tapedeck/contract/logComparison';
import { listLogFields, listLogValues } from '@tapedeck/contract/logFields';
import { getSeries } from '@tapedeck/contract/logSeries';
import * as logs from '@tapedeck/contract/logs';
import * as contract from '@tapedeck/contract/projectLogs';
import { removeMember } from '@tapedeck/contract/users';
import { withToken } from '../support/client.ts';
import { addPerson, addProject, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const viewer = await addPerson(service, { roles: { default: 'viewer' } });
const params = { project: 'default' };
const { token } = await addToken(owner, { kind: 'logs' });
const tokenClient = withToken(service, token);

async function write(items: readonly object[], dataset = 'default'): Promise<void> {
  const headers = { authorization: token, 'content-type': 'application/json' };
  const request = { method: 'POST', headers, body: JSON.stringify(items) };
  const response = await service.fetch(`/api/v3/logs?dataset=${dataset}`, request);
  assert.equal(response.status, 200, await response.text());
}

await write([
  { level: 'info', message: 'The server starts', resource: 'core', metadata: { map: 'harbour' } },
  { level: 'warn', message: 'A slow tick of 80 ms', resource: 'core' },
  { level: 'error', message: 'The door is stuck', resource: 'doors', metadata: { map: 'harbour', door: 7 } },
]);
await write([{ level: 'debug', message: 'Elsewhere' }], 'other');

const questions: Record<string, string>[] = [
  {},
  { level: 'warn,error' },
  { resource: 'core', order: 'asc' },
  { q: 'harbour', includeTotal: 'true' },
  { 'metadata.door': '7' },
  { dataset: '*', limit: '2', offset: '1' },
  { body: '"slow tick"' },
  { query: 'tick OR door:>6 -level:debug' },
];

describe('a search', () => {
  for (const query of questions) {
    it(`by ${JSON.stringify(query)} finds the same as with a token`, async () => {
      const found = await viewer.call(contract.queryProjectLogs, { params, query });
      assert.deepEqual(found, await tokenClient.call(logs.queryLogs, { query }));
      assert.ok(found.data.length > 0);
    });
  }

  const refusals: readonly [Record<string, string>, string][] = [
    [{ level: 'loud' }, '400 invalid_field'],
    [{ from: 'yesterday' }, '400 invalid_field'],
    [{ dataset: 'a b' }, '400 invalid_field'],
    [{ cursor: 'forged' }, '400 cursor_invalid'],
    [{ query: 'a OR' }, '400 query_invalid'],
  ];
  for (const [query, expected] of refusals) {
    it(`by ${JSON.stringify(query)} is rejected`, async () => {
      assert.equal(await viewer.refuse(contract.queryProjectLogs, { params, query }), expected);
    });
  }
});

test('counts are the same as with a token', async () => {
  const query = { buckets: 4, to: new Date(Date.now() + 60_000).toISOString() };
  assert.deepEqual(
    await viewer.call(contract.getProjectHistogram, { params, query }),
    await tokenClient.call(logs.getHistogram, { query }),
  );
  for (const chart of [{ by: 'level' }, { by: 'map', stat: 'sum', field: 'door' }]) {
    assert.deepEqual(
      await viewer.call(contract.getProjectSeries, { params, query: { ...query, ...chart } }),
      await tokenClient.call(getSeries, { query: { ...query, ...chart } }),
    );
  }
  const refused = { params, query: { stat: 'sum' } };
  assert.equal(await viewer.refuse(contract.getProjectSeries, refused), '400 invalid_field');
  const unclear = { params, query: { query: '(' } };
  assert.equal(await viewer.refuse(contract.getProjectSeries, unclear), '400 query_invalid');
  for (const field of ['level', 'resource', 'metadata.map']) {
    assert.deepEqual(
      await viewer.call(contract.getProjectFacets, { params, query: { field } }),
      await tokenClient.call(logs.getFacets, { query: { field } }),
    );
  }
});

test('fields and values are the same as with a token', async () => {
  for (const query of [{}, { prefix: 'm' }, { query: 'level:error' }]) {
    const found = await viewer.call(contract.listProjectLogFields, { params, query });
    assert.deepEqual(found, await tokenClient.call(listLogFields, { query }));
    assert.ok(found.data.some(({ name }) => name === 'map'));
  }
  const query = { field: 'map', limit: 1 };
  const values = await viewer.call(contract.listProjectLogValues, { params, query });
  assert.deepEqual(values, await tokenClient.call(listLogValues, { query }));
  assert.deepEqual(values.data, [{ value: 'harbour', count: 2 }]);
  const refused = { params, query: { field: '' } };
  assert.equal(await viewer.refuse(contract.listProjectLogValues, refused), '400 invalid_field');
  const unclear = { query: '(' };
  assert.equal(
    await viewer.refuse(contract.listProjectLogFields, { params, query: unclear }),
    '400 query_invalid',
  );
  const unclearValues = { params, query: { ...query, ...unclear } };
  assert.equal(await viewer.refuse(contract.listProjectLogValues, unclearValues), '400 query_invalid');
});

test('two time spans are compared as with a token, and never those of another project', async () => {
  const [before, now] = [Date.now() - 3_600_000, Date.now()].map(ms => new Date(ms).toISOString()) as [
    string,
    string,
  ]; // one for each number
  const query = { from: before, to: now, baselineFrom: before, baselineTo: before };
  const found = await viewer.call(contract.compareProjectLogs, { params, query });
  assert.deepEqual(found, await tokenClient.call(compareLogs, { query }));
  assert.deepEqual([found.entries, found.baselineEntries], [3, 0]);
  const [{ baselineTo: _, ...unfinished }, unclear] = [query, { ...query, query: '(' }];
  const missing = await viewer.send(contract.compareProjectLogs, {
    params,
    query: unfinished as typeof query,
  }); // a mistake
  assert.equal(missing.status, 400);
  assert.equal(
    await viewer.refuse(contract.compareProjectLogs, { params, query: unclear }),
    '400 query_invalid',
  );
  const elsewhere = { project: await addProject(owner, 'compared') };
  assert.equal(
    await viewer.refuse(contract.compareProjectLogs, { params: elsewhere, query }),
    '404 not_found',
  );
  assert.equal((await owner.call(contract.compareProjectLogs, { params: elsewhere, query })).entries, 0);
});

test('finds an entry with its context, and none of another project', async () => {
  const { data } = await viewer.call(contract.queryProjectLogs, { params, query: { level: 'warn' } });
  const { traceId } = data[0]!;
  const found = await viewer.call(contract.getProjectLog, { params: { ...params, traceId } });
  assert.deepEqual(found.data, data[0]);
  const context = await viewer.call(contract.getProjectLogContext, { params: { ...params, traceId } });
  assert.deepEqual(
    [context.data.before.map(({ body }) => body), context.data.after.map(({ body }) => body)],
    [['The server starts'], ['The door is stuck']],
  );
  const project = await addProject(owner, 'empty');
  for (const route of [contract.getProjectLog, contract.getProjectLogContext])
    assert.equal(await owner.refuse(route, { params: { project, traceId } }), '404 not_found');
});

test('exports every match as lines of JSON or as CSV', async () => {
  for (const [format, type] of [
    ['ndjson', /^application\/x-ndjson/],
    ['csv', /^text\/csv/],
  ] as const) {
    const response = await viewer.send(contract.exportProjectLogs, {
      params,
      query: { format, dataset: '*' },
    });
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-type')!, type);
    assert.match(response.headers.get('content-disposition')!, /^attachment/);
    const lines = (await response.text()).trim().split('\n');
    assert.equal(lines.length, format === 'csv' ? 5 : 4);
  }
});

test('a tail ends for a user who lost their role', async () => {
  const leaver = await addPerson(service, { roles: { default: 'viewer' } });
  const response = await leaver.send(contract.tailProjectLogs, { params });
  const reader = response.body!.getReader();
  await reader.read();
  const startedAt = performance.now();
  await owner.call(removeMember, { params: { ...params, user: leaver.id } });
  while (!(await reader.read()).done) assert.ok(performance.now() - startedAt < 2000);
  assert.equal(await leaver.refuse(contract.tailProjectLogs, { params }), '404 not_found');
});

test('a tail sends new entries, by its filter', async () => {
  const response = await viewer.send(contract.tailProjectLogs, { params, query: { level: 'error' } });
  assert.match(response.headers.get('content-type')!, /^text\/event-stream/);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = (await reader.read()).value ?? '';
  await write([
    { level: 'info', message: 'Not this one' },
    { level: 'error', message: 'But this one' },
  ]);
  while (!text.includes('data: ')) text += (await reader.read()).value ?? '';
  await reader.cancel();
  assert.ok(text.includes('But this one') && !text.includes('Not this one'), text);
});

test('finds the children of an entry in every dataset, and none of another project', async () => {
  const { data } = await viewer.call(contract.queryProjectLogs, { params, query: { level: 'warn' } });
  const { traceId } = data[0]!;
  await write([{ level: 'info', message: 'A child', parentId: traceId }], 'other');
  const children = await viewer.call(contract.listProjectLogChildren, { params: { ...params, traceId } });
  assert.deepEqual(
    children.data.map(({ body, dataset }) => [body, dataset]),
    [['A child', 'other']],
  );
  assert.deepEqual(children, await tokenClient.call(logs.listLogChildren, { params: { traceId } }));
  const project = await addProject(owner, 'childless');
  const elsewhere = await owner.call(contract.listProjectLogChildren, { params: { project, traceId } });
  assert.deepEqual(elsewhere.data, []);
});
