/** Which stages behind parsers the log store evaluates by itself. `lokiTemplates.test.ts` tests that its answers are right. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { everything } from '@tapedeck/log-query-language';
import { parseLogql } from '@tapedeck/logql';
import { openLabelFields } from './labelFields.ts';
import { planStages } from './stagePlans.ts';

const repeated = (stage: string, times: number) => Array(times).fill(stage).join(' | ');

const rows: readonly [stages: string, isWhole: boolean][] = [
  ['json | line_format "{{.method}} {{.path}}" |= "GET"', true],
  ['json | line_format "{{.method}}" | line_format "{{.path}}" |~ "^/"', true],
  ['json | label_format verb=method | verb="GET"', true],
  ['json | label_format x="{{.method}}-{{.path}}" | x=~"GET.*"', true],
  ['json | label_format x="{{.service_name}}", y="{{.app}}"', true],
  ['json | drop method, path | method=""', true],
  ['json | keep method, status | status="500"', true],
  ['json | keep method | label_format x="{{.method}}{{.path}}" | x="GET"', true],
  ['json | keep method | keep status | method=""', true],
  ['json | keep method="GET"', false],
  ['json | keep severity | severity="error"', false],
  ['json | keep method | level="error"', false],
  ['json | keep method | json', false],
  ['json verb="method", country="client.country" | verb="GET" | country=~"d.*"', true],
  ['json n=`client["id"]` | n > 5', true],
  ['json verb="method" | label_format x="{{.verb}}{{.method}}" | x="GET"', true],
  ['json first="roles[0]" | first="admin"', false],
  ['json a="first_name" | a="Ann"', false],
  ['json level="severity" | level="error"', false],
  ['json verb="method", verb="path" | verb="GET"', false],
  ['json verb="method" | json', false],
  ['json | json verb="method"', false],
  ['line_format "{{.method}}" | json | method="GET"', false],
  ['json | line_format "{{.method}}" | json', false],
  ['json | line_format "{{.method | ToLower}}" |= "get"', false],
  ['json | line_format "{{__line__}}" |= "get"', false],
  ['json | line_format "{{.method}}" |> "<_> x"', false],
  ['json | label_format level="{{.method}}"', false],
  ['json | label_format x=level', false],
  ['json | label_format severity=method', false],
  ['json | drop method="GET"', false],
  ['json | label_format x="{{.a.b}}"', false],
  ['logfmt | status="500" | ms > 5', true],
  ['logfmt | label_format x="{{.status}}" | x="500"', true],
  ['logfmt | took > 5ms or size < 1KB', true],
  ['logfmt s="status", path | s="500" | path=""', true],
  ['logfmt s="status", t="status" | s="500"', false],
  ['logfmt level="severity" | level="error"', false],
  ['logfmt --strict | status="500"', false],
  ['logfmt --keep-empty | status="500"', false],
  ['logfmt | json | status="500"', false],
  ['logfmt | logfmt | status="500"', false],
  ['logfmt | a__b="500"', false],
  ['regexp `status=(?P<status>[0-9]+)` | status="500" | path=""', true],
  ['pattern `<_> status=<status> <path>` | status="500" | path=~"/.*"', true],
  ['regexp `(?P<a>[0-9]{1,600})` | a="1"', false],
  ['pattern `<a> <b>` | pattern `<a> <c>`', false],
  [`json | ${repeated('label_format x="{{.x}}{{.a}}{{.b}}"', 5)}`, true],
  [`json | ${repeated('label_format x="{{.x}}{{.x}}{{.a}}"', 9)}`, false], // the text would double each time
];

const scope = { project: 'default', datasets: null, fromMicros: 0, toMicros: 1, condition: everything };

for (const [stages, isWhole] of rows)
  it(`${isWhole ? 'evaluates' : 'leaves to a thread'} ${stages.slice(0, 80)}`, async () => {
    const query = parseLogql(`{a="b"} | ${stages}`);
    assert.ok(query.kind === 'log');
    const fields = openLabelFields(
      { logQueries: { findFields: async () => [] } },
      scope,
      new AbortController().signal,
    );
    const { members } = await planStages(query, fields);
    assert.equal(members?.isWhole ?? false, isWhole);
  });
