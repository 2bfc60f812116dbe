/**
 * Requests of Grafana's Loki data source (Explore, dashboards, alerting) and of Logs Drilldown with their real parameters, headers and
 * spellings, and what these clients read from the responses.
 */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { startTestService } from '../support/service.ts';
import { drilldownRows } from './drilldownRows.ts';
import { type Answer, linesOf, range } from './grafanaAnswers.ts';
import { dataSourceRows } from './grafanaRows.ts';
import { type AskedFor, openLoki } from './lokiEntries.ts';
import { storeHour } from './lokiHour.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const loki = await openLoki(service);
const { token } = loki;
await storeHour(loki);

/** Sends a request like the backend of Grafana's data source, with a password. */
async function request(path: string, parameters: AskedFor, headers: AskedFor): Promise<Answer> {
  const response = await service.fetch(`/loki/api/v1/${path}?${new URLSearchParams(parameters)}`, {
    headers: {
      authorization: `Basic ${Buffer.from(`grafana:${token}`).toString('base64')}`,
      'accept-encoding': 'gzip',
      'user-agent': 'Grafana/13.0.2',
      'x-grafana-id': 'none',
      ...headers,
    },
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
  return JSON.parse(text) as Answer;
}

for (const [who, rows] of [
  ["Grafana's data source requests", dataSourceRows],
  ['Logs Drilldown requests', drilldownRows],
] as const)
  describe(who, () => {
    for (const [title, path, parameters, check, headers = {}] of rows)
      it(title, async () => check(await request(path, parameters, headers)));
  });

it('accepts long queries in a form', async () => {
  const response = await service.fetch('/loki/api/v1/query_range', {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      ...range,
      limit: '1000',
      query: `{dataset="game"} |~ "${'x|'.repeat(1000)}Paid"`,
    }),
  });
  assert.equal(response.status, 200);
});

it('compresses long responses for clients that accept it', async () => {
  const parameters = new URLSearchParams({ ...range, limit: '1000', query: '{dataset="game"}' });
  const encodingFor = async (accepted: string) => {
    const response = await service.fetch(`/loki/api/v1/query_range?${parameters}`, {
      headers: { authorization: `Bearer ${token}`, 'accept-encoding': accepted },
    });
    assert.equal(linesOf((await response.json()) as Answer).length, 120);
    assert.match(response.headers.get('vary') ?? '', /accept-encoding/i);
    return response.headers.get('content-encoding');
  };
  for (const accepted of ['gzip', 'gzip, deflate, br', 'br;q=1.0, gzip;q=0.8', '*'])
    assert.equal(await encodingFor(accepted), 'gzip', accepted);
  for (const accepted of ['identity', 'br', 'gzip;q=0', 'gzip;q=0.0, br', 'xgzip'])
    assert.equal(await encodingFor(accepted), null, accepted);
});
