/** Queries of Logs Drilldown, with the gaps that its variables leave. */
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

const parsers = '| json | logfmt | drop __error__, __error_details__';
const ofShop = '{service_name=`shop`, dataset="game"}';

export const drilldownRows: readonly Row[] = [
  ['its limits', 'drilldown-limits', {}, ({ version }) => assert.match(version ?? '', /^3\./)],
  [
    'services by their volume',
    'index/volume',
    { ...hour, query: '{service_name=~`.+`}', limit: '5000', targetLabels: 'service_name' },
    answer => assert.deepEqual(labelsOf(answer, 'service_name'), ['shop', 'unknown_service']),
    { 'X-Query-Tags': 'Source=grafana-lokiexplore-app' },
  ],
  [
    'the first labels',
    'detected_labels',
    { ...isoHour, query: '' },
    ({ detectedLabels = [] }) => assert.equal(detectedLabels.length, 3),
  ],
  [
    'labels of a service',
    'detected_labels',
    { ...isoHour, query: '{service_name="shop"}' },
    ({ detectedLabels = [] }) => assert.ok(detectedLabels.some(({ label }) => label === 'level')),
  ],
  [
    'levels of a service',
    'query_range',
    {
      ...range,
      step: '5000ms',
      query:
        'sum by (detected_level) (count_over_time({service_name=`shop`, dataset="game"}      | detected_level != ""   [5s]))',
    },
    answer => {
      assert.deepEqual(labelsOf(answer, 'detected_level'), ['error', 'info']);
      assert.equal(addUp(answer), 90);
    },
  ],
  [
    'its lines',
    'query_range',
    { ...range, limit: '1000', query: `${ofShop}         ${parsers} ` },
    answer => assert.equal(linesOf(answer).length, 90),
    categorized,
  ],
  [
    'its lines of a level with a text in them',
    'query_range',
    {
      ...range,
      limit: '1000',
      query:
        '{service_name=`shop`, dataset="game"}   |~ `(?i)paid`  | detected_level=`info` | json | logfmt | drop __error__, __error_details__ ',
    },
    answer => assert.ok(linesOf(answer).length > 0),
    categorized,
  ],
  [
    'the number of lines',
    'query',
    {
      query: `sum(count_over_time(${ofShop}      [1h])) by (detected_level)`,
      time: ns(3600),
      direction: 'backward',
    },
    answer => assert.equal(addUp(answer), 90),
  ],
  [
    'its fields',
    'detected_fields',
    { ...isoHour, query: `${ofShop}     ${parsers} ` },
    ({ fields = [] }) => {
      const find = (name: string) => fields.find(({ label }) => label === name);
      assert.deepEqual(find('status')?.parsers, ['json']);
      assert.deepEqual(find('took')?.parsers, ['logfmt']);
      assert.deepEqual([find('took')?.type, find('ms')?.parsers], ['duration', null]);
    },
  ],
  [
    'as many fields as sampled lines',
    'detected_fields',
    { ...isoHour, query: ofShop, line_limit: '1000', limit: '1000' },
    ({ fields = [] }) => assert.ok(fields.length > 3),
  ],
  [
    'values of a field',
    'detected_field/path/values',
    { ...isoHour, query: `${ofShop} ${parsers}`, limit: '1000' },
    ({ values = [] }) => assert.deepEqual(values, ['/p0', '/p1', '/p2', '/p3', '/p4']),
  ],
  [
    'a field over time',
    'query_range',
    {
      ...range,
      step: '60000ms',
      query: `sum by (path) (count_over_time(${ofShop}    | json | drop __error__, __error_details__ | path!=""   [1m]))`,
    },
    answer => assert.deepEqual(labelsOf(answer, 'path'), ['/p0', '/p1', '/p2', '/p3', '/p4']),
  ],
  [
    'a field with numbers over time',
    'query_range',
    {
      ...range,
      step: '60000ms',
      query: `avg_over_time(${ofShop}   ${parsers} | status!="" | unwrap status | __error__="" [1m]) by ()`,
    },
    answer => assert.equal(resultsOf(answer).length, 1),
  ],
  [
    'a field with durations over time',
    'query_range',
    {
      ...range,
      step: '60000ms',
      query: `avg_over_time(${ofShop}   | logfmt | drop __error__, __error_details__ | took!="" | unwrap duration(took) | __error__="" [1m]) by ()`,
    },
    answer => assert.equal(resultsOf(answer).length, 1),
  ],
  [
    'structured metadata over time',
    'query_range',
    {
      ...range,
      step: '60000ms',
      query: `sum by (player_id) (count_over_time(${ofShop}   | player_id!=""    [1m]))`,
    },
    answer => assert.deepEqual(labelsOf(answer, 'player_id'), ['0', '1', '2']),
  ],
  [
    'a label over time',
    'query_range',
    {
      ...range,
      step: '60000ms',
      query: 'sum(count_over_time({service_name=`shop`, dataset="game", level != ""}      [1m])) by (level)',
    },
    answer => assert.deepEqual(labelsOf(answer, 'level'), ['error', 'info']),
  ],
  [
    'several values of a field, and none of another',
    'query_range',
    {
      ...range,
      limit: '100',
      query: `${ofShop}  | player_id=\`1\` or player_id=\`2\` ${parsers} | path=\`/p1\` or path=\`/p2\` | took="" `,
    },
    answer => assert.ok(linesOf(answer).length > 0),
    categorized,
  ],
  [
    'a comparison of a field',
    'query_range',
    { ...range, limit: '100', query: `${ofShop} ${parsers} | took>10ms | took<=20ms | status=""` },
    answer => assert.ok(linesOf(answer).length > 0),
    categorized,
  ],
  [
    'patterns',
    'patterns',
    { ...isoHour, query: '{service_name="shop", dataset="game"}', step: '500ms' },
    ({ data }) =>
      assert.ok(
        (data as { pattern: string; level: string; samples: unknown[] }[]).every(
          ({ pattern, level, samples }) =>
            pattern !== '' && ['error', 'info'].includes(level) && samples.length > 0,
        ),
      ),
  ],
  [
    'lines of a pattern',
    'query_range',
    { ...range, limit: '100', query: `${ofShop} |> \`took=<_>ms user="Ann <_>" Paid\` ${parsers}` },
    answer => assert.ok(linesOf(answer).length > 0),
    categorized,
  ],
  [
    'lines that match neither of two patterns',
    'query_range',
    { ...range, limit: '100', query: `${ofShop} !> \`took=<_>ms user="Ann <_>" Paid\` !> \`nothing <_>\`` },
    answer => assert.equal(linesOf(answer).length, 60),
    categorized,
  ],
  [
    'pre-aggregated numbers, of which there are none',
    'query_range',
    {
      ...range,
      query:
        'sum by (detected_level) (sum_over_time({__aggregated_metric__=`shop`} | logfmt | drop __error__ | unwrap count [5s]))',
    },
    answer => assert.deepEqual(resultsOf(answer), []),
  ],
];
