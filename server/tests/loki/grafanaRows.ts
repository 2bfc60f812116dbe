/** Queries of Grafana's Loki data source: Explore, dashboards, alerting and the query editor. */
import assert from 'node:assert/strict';
import {
  addUp,
  categorized,
  hour,
  isoHour,
  labelsOf,
  linesOf,
  ns,
  type Row,
  range,
  resultsOf,
} from './grafanaAnswers.ts';

const shop = '{dataset="game", service_name="shop"}';

export const dataSourceRows: readonly Row[] = [
  [
    'the health check',
    'query',
    { direction: 'backward', query: 'vector(1)+vector(1)', time: '4000000000' },
    answer => assert.deepEqual(resultsOf(answer), [{ metric: {}, value: [4_000_000_000, '2'] }]),
  ],
  [
    'lines in Explore',
    'query_range',
    { ...range, limit: '1000', query: `${shop} |= \`\`` },
    answer => {
      assert.equal(linesOf(answer).length, 90);
      assert.ok(
        linesOf(answer).every(
          ([time, line, labels]) =>
            /^\d{19}$/.test(String(time)) && typeof line === 'string' && typeof labels === 'object',
        ),
      );
    },
    { ...categorized, 'X-Query-Tags': 'Source=explore' },
  ],
  [
    'the volume of lines above them',
    'query_range',
    {
      ...range,
      step: '60000ms',
      query: `sum by (level, detected_level) (count_over_time(${shop} |= \`\` | drop __error__[1m]))`,
    },
    answer => assert.equal(addUp(answer), 90),
    { ...categorized, 'X-Query-Tags': 'Source=logvolhist' },
  ],
  [
    'a sample of lines below a graph',
    'query_range',
    { ...range, limit: '50', query: shop },
    answer => assert.equal(linesOf(answer).length, 50),
    { ...categorized, 'X-Query-Tags': 'Source=logsample' },
  ],
  [
    'the context of a line, later lines',
    'query_range',
    {
      start: ns(600),
      end: ns(600 + 2 * 3600),
      limit: '100',
      direction: 'forward',
      step: '1000ms',
      query: '{service_name="shop",dataset="game",level="info"}',
    },
    answer => assert.ok(linesOf(answer).every(([time]) => String(time) >= ns(600))),
    categorized,
  ],
  [
    'a few lines, to detect the parser',
    'query_range',
    { ...range, limit: '10', query: shop },
    answer => assert.equal(linesOf(answer).length, 10),
    { ...categorized, 'X-Query-Tags': 'Source=datasample' },
  ],
  [
    'an annotation',
    'query_range',
    { ...range, limit: '100', query: '{level="error"} | json | line_format "{{.path}}"' },
    answer => assert.ok(linesOf(answer).length > 0),
    { 'X-Query-Tags': 'Source=annotation' },
  ],
  [
    'a panel with numbers over time',
    'query_range',
    {
      ...range,
      step: '20000ms',
      query: 'sum by(level) (rate({dataset="game"} |= `Paid` | logfmt | __error__=`` [1m]))',
    },
    answer => assert.deepEqual(labelsOf(answer, 'level'), ['error', 'info']),
  ],
  [
    'an alert rule',
    'query',
    { direction: 'backward', query: 'sum(count_over_time({dataset="game"}[1h])) > 10', time: ns(3600) },
    answer => assert.equal(addUp(answer), 119),
    { FromAlert: 'true', 'X-Query-Tags': 'Source=alerting' },
  ],
  ['label names', 'labels', hour, ({ data }) => assert.ok((data as string[]).includes('service_name'))],
  [
    'label names with a selector',
    'labels',
    { ...hour, query: '{service_name="shop"}' },
    ({ data }) => assert.ok((data as string[]).includes('player_id')),
  ],
  [
    'values of a label',
    'label/service_name/values',
    { ...hour, query: '{dataset="game"}' },
    ({ data }) => assert.deepEqual(data, ['shop', 'unknown_service']),
  ],
  [
    'values of a label for a variable',
    'label/level/values',
    isoHour,
    ({ data }) => assert.deepEqual(data, ['error', 'info', 'warn']),
  ],
  [
    'shards of streams, of which there are none',
    'label/__stream_shard__/values',
    { ...hour, query: shop },
    answer => assert.deepEqual(answer, { status: 'success' }),
  ],
  [
    'streams',
    'series',
    { ...hour, 'match[]': shop },
    ({ data }) => assert.equal((data as unknown[]).length, 2),
  ],
  [
    'how much a query would read',
    'index/stats',
    { ...hour, query: shop },
    ({ entries }) => assert.equal(entries, 90),
  ],
  [
    'a formatted query',
    'format_query',
    { query: 'sum(rate({a="b"}[5m]))by(c)' },
    ({ data }) => assert.equal(data, 'sum by (c)(rate({a="b"}[5m]))'),
  ],
  [
    'a formatted query without a selector',
    'format_query',
    { query: '{}' },
    ({ data }) => assert.equal(data, '{}'),
  ],
  ['rules that the data source manages', 'rules', {}, answer => assert.deepEqual(answer, {})],
  ['the version', 'status/buildinfo', {}, ({ version }) => assert.match(version ?? '', /^\d/)],
];
