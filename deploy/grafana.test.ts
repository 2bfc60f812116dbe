/** The files for Grafana: the data source says who it is, and a service answers every query of the dashboard. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { parse } from 'yaml';
import { openLogClient } from '../server/tests/support/logSender.ts';
import { startQuietService } from '../server/tests/support/service.ts';

type Panel = { title: string; targets: { expr: string; queryType: string }[] };
type Dashboard = { panels: Panel[]; templating: { list: { name: string }[] } };

const service = await startQuietService();
after(() => service[Symbol.asyncDispose]());
const { token, store } = await openLogClient(service);
await store(
  ['error', 'info', 'warn'].map((level, index) => ({
    level,
    message: `Shop failed ${index}`,
    resource: 'shop',
    metadata: { ms: index * 10 },
  })),
  'game',
);

const read = (name: string) => readFile(path.join(import.meta.dirname, 'grafana', name), 'utf8');

/** Lists exclude their end. */
const behindAll = String(Math.floor(Date.now() / 1000) + 60);

/** Values as Grafana fills them in. */
const values: Readonly<Record<string, string>> = {
  $__interval: '1m',
  $__range: '6h',
  $resource: '.+',
  $dataset: '.+',
  $latency: 'ms',
};

describe('Grafana', () => {
  it('is given an address and a token', async () => {
    // As Grafana has it.
    const { datasources } = parse(await read('provisioning/datasources/tapedeck.yaml')) as {
      datasources: { type: string; url: string; secureJsonData: Record<string, string> }[];
    };
    assert.deepEqual(
      datasources.map(({ type, url, secureJsonData }) => [type, url, secureJsonData.httpHeaderValue1]),
      [['loki', '$TAPEDECK_URL', 'Bearer $TAPEDECK_TOKEN']],
    );
  });

  it('finds an answer to each query of the dashboard', async () => {
    const { panels, templating } = JSON.parse(await read('dashboards/project.json')) as Dashboard; // as Grafana has it
    const known = [...Object.keys(values), ...templating.list.map(({ name }) => `$${name}`)];
    for (const { title, targets } of panels) {
      for (const { expr, queryType } of targets) {
        for (const [variable] of expr.matchAll(/\$\w+/g))
          assert.ok(known.includes(variable), `${title}: ${variable}`);
        const query = expr.replaceAll(/\$\w+/g, variable => values[variable] ?? '');
        const route = queryType === 'instant' ? 'query' : 'query_range';
        const parameters = new URLSearchParams({ query, step: '60', end: behindAll });
        const response = await service.fetch(`/loki/api/v1/${route}?${parameters}`, {
          headers: { authorization: `Bearer ${token}` },
        });
        const text = await response.text();
        assert.equal(response.status, 200, `${title}: ${text}`);
        assert.notDeepEqual(JSON.parse(text).data.result, [], `${title} is empty`);
      }
    }
  });
});
