/** Simple templates are composed in the log store. Service and package must answer every query alike over the same lines. */
import { after, describe, it } from 'node:test';
import { startTestService } from '../support/service.ts';
import { openLoki } from './lokiEntries.ts';
import { requireSame, storeLines } from './memberLines.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const client = await openLoki(service);
await storeLines(client);

const groupings = [
  '',
  'by (level)',
  'by (x)',
  'by (status, y)',
  'by (path)',
  'by (zone, x)',
  'by (service_name)',
];

const stages = [
  'line_format "{{.status}} {{.path}}" |= "500 /a"',
  'line_format "{{.status}} {{.path}}" != "500 /a"',
  'line_format "{{.status}} {{.path}}" |= "404" or "200 /a"',
  'line_format "{{.status}} {{.path}}" |~ "^5.. /[a-c]"',
  'line_format "{{.status}} {{.path}}" !~ "^5.. /[a-c]$"',
  'line_format "{{.status}}{{.user_id}}" |= "5007"',
  'line_format "{{.absent}}" |~ "^$"',
  'line_format "{{.absent}}x{{.path}}" |= "x/a"',
  'line_format "{{.path}}" |= "" |~ "^.+$"',
  'line_format "a {{- .path -}} b" |= "a/ab"',
  'line_format `{{/* nothing */}}{{.path}}{{"\\"x"}}` |= "/a\\"x"',
  'line_format "" |= "x"',
  'line_format "500 {{.path}}" | status="500" |= "500"',
  'line_format "{{.path}}" |= "/" | line_format "<{{.status}}>" |= "<500>"',
  'line_format "{{.zone}}/{{.user_id}}/{{.ms}}" |~ "north/[0-9]*/"',
  'line_format "{{.service_name}} {{.app}} {{.severity}} {{.detected_level}} {{.dataset}}" |= "unknown_service"',
  'line_format "{{.app}}:{{.severity}}:{{.level_extracted}}" |~ "inner|loud"',
  'line_format "{{.path}}" |= "\\n"',
  'line_format "{{.path}}{{.status}}" |= "é" or "ß"',
  'line_format "{{.path}}" |= "{{.ms}}" or "\\\\d+"',
  'line_format "{{.path}}" |= " padded "',
  'line_format "{{.user_name}}{{.a_b_c}}" |~ "^(Ann|[1-5])$"',
  'line_format "{{.path}}" |> "/<_>"',
  'line_format "{{.path}}" |= ip("10.0.0.0/8")',
  'line_format "{{.status}}" | json | status="500"',
  'line_format "{{.path | ToUpper}}" |= "/A"',
  'line_format "{{if .zone}}{{.zone}}{{end}}" |= "north"',
  'label_format x=path | x="/a"',
  'label_format x=path | path=""',
  'label_format x="{{.status}}-{{.path}}" | x="500-/a"',
  'label_format x="{{.status}}-{{.path}}" | x!~"5.*"',
  'label_format x="{{.path}}" | x=""',
  'label_format x="{{.absent}}" | x=""',
  'label_format status=path | status=~"/.*"',
  'label_format status="{{.path}}" | status="/a" or status="false"',
  'label_format path=zone, zone=path | zone=""',
  'label_format zone="{{.zone}}{{.zone}}" | zone="northnorth"',
  'label_format x=absent | x="old"',
  'label_format status=absent | status="500"',
  'label_format x=path, y=x | y="/a"',
  'label_format x="{{.path}}", y="{{.x}}" | y=""',
  'label_format x=path, y="{{.path}}{{.x}}" | y="/a"',
  'label_format path=path | path=""',
  'label_format level="{{.path}}" | level="/a"',
  'label_format x=level | x="error"',
  'label_format app="{{.path}}" | app="/a"',
  'label_format x="{{.app}} {{.severity}}" | x=~"unknown.*"',
  'label_format n=ms | n>10',
  'label_format n="{{.ms}}" | n>10',
  'label_format x="{{.path}}" | line_format "{{.x}} {{.y}}" |= "/a /a"',
  'label_format x="{{.path}}" | label_format y=x, x="{{.x}}{{.x}}" | y="/a"',
  'label_format x="{{.path}}" | json | x="old"',
  'label_format x="{{.path}}" | logfmt | x!=""',
  'drop status | status=""',
  'drop path, zone | path="" |= "5"',
  'drop zone="north" | zone!=""',
  'drop severity | severity="error"',
  'drop status | json | status="500"',
  'keep status, path | status="500"',
  'keep path | status=""',
  'keep status | path="" |= "5"',
  'keep x | label_format x="{{.status}}{{.path}}" | x=""',
  'label_format x="{{.path}}", y=status | keep y, level | y="500" | x=""',
  'label_format status=path | keep path, zone | status="" | path=""',
  'keep path, status | keep status, zone | path="" | status!=""',
  'keep status | label_format y=path, status="{{.status}}{{.zone}}" | status="500"',
  'keep level_extracted | level_extracted="loud"',
  'keep level, path | level="error"',
  'keep service_name | app="shop"',
  'keep app | app="shop"',
  'keep severity | severity="error"',
  'keep path | severity="error"',
  'keep path="/a" | path!=""',
  'keep __error__ | status=""',
  'keep zone | json | status="500"',
  'keep status, ms | ms>10',
  'keep status | line_format "{{.status}}{{.path}}{{.service_name}}" |= "500"',
];

const count = (stage: string, grouping: string) =>
  `sum ${grouping} (count_over_time({dataset="members"} ${stage} [10m]))`;

describe('the log store and the parser agree on templates', () => {
  for (const [place, stage] of stages.entries())
    it(stage, async () => {
      for (const offset of [0, 2, 5]) {
        const grouping = groupings[(place + offset) % groupings.length] ?? '';
        await requireSame(client, count(`| json | __error__="" | ${stage}`, grouping));
        await requireSame(client, count(`| json | ${stage}`, grouping));
      }
    });

  const others = [
    'sum by (x) (bytes_over_time({dataset="members"} | json | __error__="" | label_format x="{{.path}}" | line_format "{{.path}}" [10m]))',
    'sum by (x) (sum_over_time({dataset="members"} | json | label_format x="{{.level}}!" | unwrap ms | __error__="" [10m]))',
    'sum by (status) (sum_over_time({dataset="members"} | json | keep status, ms | unwrap ms | __error__="" [10m]))',
    'sum by (status) (sum_over_time({dataset="members"} | json | keep status | unwrap ms | __error__="" [10m]))',
    'max_over_time({dataset="members"} | json | label_format n=ms | n>0 | unwrap n | __error__="" [10m]) by (zone)',
    'absent_over_time({dataset="members"} | json | line_format "{{.path}}" |= "/none" [10m])',
    'count_over_time({dataset="members"} | json | __error__="" | line_format "{{.path}}" |= "/a" [10m])',
    'sum by (level) (count_over_time({dataset="members"} | line_format "{{.level}}" |= "error" | json [10m]))',
    'sum by (path) (count_over_time({dataset="members"} | line_format "{\\"path\\":\\"{{.zone}}\\"}" | json [10m]))',
    `sum(count_over_time({dataset="members"} | json | __error__="" | ${'label_format x="{{.x}}{{.x}}{{.path}}" | '.repeat(12)} x="" [10m]))`,
  ];
  for (const query of others) it(query, () => requireSame(client, query));
});
