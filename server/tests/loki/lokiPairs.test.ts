/** Odd and random lines of logfmt: the log store must find the labels that the parsers find line by line. LINES=20000 tries more of them. */
import { after, describe, it } from 'node:test';
import { createRandom } from '@tapedeck/log-store/testing';
import { startTestService } from '../support/service.ts';
import { openLoki } from './lokiEntries.ts';
import { requireSame, spreadLines } from './memberLines.ts';

const random = createRandom(Number(process.env.SEED ?? 33));
const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
const isOften = (share: number) => random() < share;

const keys = ['status', 'path', 'ms', 'size', 'user_id', 'id', 'a_b_c', 'level', 'xstatus'];
const oddKeys = [
  'user.id', 'user-id', 'user id', 'a.b_c', 'a_b-c', 'a.b.c', 'stat', '"status', 'status"', '=', '', 'é', 'xuser_id', 'user_id2', '5xx', 'user\u{1f600}id', 'Status', '\ufffd', 'zone', 'service_name', 'app',
]; // biome-ignore format: a list of texts
const values = [
  '500', '404', '200', '-7', '1.5', '+3', '1e3', '0x1p2', 'GET', '/a', '12ms', '1.5s', '1m30s', '2h', '3µs', '250ns', '5KB', '1.5MiB', '1,024B', '7', 'true', 'x.y', "it's", 'é',
]; // biome-ignore format: a list of texts
const oddValues = [
  '', '"', '""', '"a b"', '" status=404 "', '"x" ', '"a \\"status=7 b"', '"tab\\there"', '"open', 'a"b', 'a=b', '=', 'C:\\x', '"C:\\\\x"', '"\\q"', '\ufffd', '"\ufffd x"', 'a\u00a0b', '"line\nbreak status=9"', '"500"', '"12 ms"', '"ms=3"', "'a b'", '"path=/q" path=/r', '\\', '1h2', '5 KB', '"5 KB"', 'a\u0001b',
]; // biome-ignore format: a list of texts

function writePair(oddness: number): string {
  const key = pick(isOften(oddness / 2) ? oddKeys : keys);
  if (isOften(0.08)) return key;
  return `${key}=${isOften(0.15) ? `"${pick(values)} ${pick(values)}"` : pick(isOften(oddness) ? oddValues : values)}`;
}

const writeNumber = (digits: number) => {
  const fraction = pick(['', '', '.5', '.25', '.125', '.1', '.007', '.']);
  return `${Math.floor(random() * 10 ** Math.ceil(random() * digits))}${fraction}`;
};
const writeDuration = () =>
  pick([
    () => `${writeNumber(5)}${pick(['s', 'ms', 'us', 'µs', 'μs', 'ns', 'm', 'h'])}`,
    () => `${writeNumber(3)}ms`,
    () => `${pick(['', '1h', '25h'])}${Math.floor(random() * 60)}m${writeNumber(2)}s`,
    () => pick(['0', '-5ms', '+5ms', '1h30m', '1m1m', '1s2ms', '0.123456789s', '1.0000000004s']),
  ])();
const writeSize = () => `${writeNumber(4)}${pick(['', 'B', 'KB', 'kb', 'KiB', 'MB', 'M', 'Mi'])}`;

/** A line as a program cuts it off, or as a person writes it. */
function damage(line: string): string {
  const place = Math.floor(random() * (line.length + 1));
  return pick([
    line.slice(0, place),
    line.slice(0, place) + line.slice(place + 1),
    `${line.slice(0, place)}${pick(['"', '=', ' ', '\\', '\t', '\n', ' status=5 ', '"status=6', '\u00a0'])}${line.slice(place)}`,
    ` ${line}`,
    `${line}\n`,
    `${line} ${line}`,
  ]);
}

function writeLine(): string {
  const oddness = pick([0, 0, 0.1, 0.4]);
  const blank = isOften(oddness / 4) ? pick(['  ', '\t', '\n', '']) : ' ';
  const line = Array.from({ length: Math.floor(random() * 8) }, () => writePair(oddness)).join(blank);
  const amounts = isOften(0.3) ? ` took=${writeDuration()} weight=${writeSize()}` : '';
  return (isOften(0.15) ? damage(line) : line) + amounts;
}

const count = Number(process.env.LINES ?? 1_500);
const bodies = Array.from({ length: count }, () => writeLine().toWellFormed());
const metadata = (index: number): Record<string, string> =>
  index % 7 === 0 ? { status: '500', zone: 'north' } : index % 11 === 0 ? { ms: '30', size: '1KB' } : {};

const { lines, entries } = spreadLines('pairs', bodies, metadata);

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const client = await openLoki(service);
await client.store(entries, 'pairs');

const range = (stages: string) => `{dataset="pairs"} | ${stages} [10m]`;
const filters = [
  'took>20ms', 'took==0.007s', 'took<=1m30s', 'weight>=1KB', 'weight<1.5MiB and took>0s', 'status="500"', 'status!="500"', 'status!=""', 'status=""', 'status=~"5.*|404"', 'status!~"5.*"', 'status>100', 'status!=404', 'ms<=7', 'user_id!=""', 'a_b_c="7"', 'ms>10ms', 'ms<=1.5s | __error__=""', 'ms==1m30s', 'size>=5KB', 'size!=1.5MiB | __error__=""', 'size<1KB or ms>1h', 'path="/a" or ms="12ms"', 'path=~".+" | ms!="7"', '__error__=""', '__error__="" | status="404"', 'level="info"', 'level_extracted!=""', 'app="shop"', 'zone="north"', 'status="500 404"', 'path="a b"',
]; // biome-ignore format: a table
const groupings = ['', 'status', 'path', 'ms', 'user_id', 'a_b_c', 'id, size', 'status, level'];
const parsers = [
  'logfmt',
  'regexp `status=(?P<status>[0-9]+)(.*path=(?P<path>\\S*))?`',
  'regexp `(?P<user_id>^.)|ms="?(?P<ms>[^"\\s]*)`',
  'pattern `<_>status=<status> <path>`',
  'pattern `<status>=<ms> <_>"<path>"`',
  'pattern `status=<status>`',
];

describe('the log store and the parsers agree on random lines', () => {
  for (const parser of parsers)
    for (const [place, filter] of filters.entries())
      it(`${parser} | ${filter}`, async () => {
        for (const by of [groupings[place % groupings.length], groupings[(place + 3) % groupings.length]])
          await requireSame(
            client,
            `sum by (${by}) (count_over_time(${range(`${parser} | ${filter}`)}))`,
            lines,
          );
      });
  for (const parser of parsers)
    for (const unwrap of [
      'ms',
      'status',
      'duration(ms)',
      'duration_seconds(status)',
      'bytes(size)',
      'bytes(status)',
    ])
      it(`${parser} | unwrap ${unwrap}`, async () => {
        const stages = `${parser} | unwrap ${unwrap} | __error__=""`;
        await requireSame(client, `sum(sum_over_time(${range(stages)}))`, lines);
        await requireSame(client, `sum by (path) (sum_over_time(${range(stages)}))`, lines);
        await requireSame(
          client,
          `max_over_time(${range(`${parser} | id="7" | unwrap ${unwrap}`)}) by (path)`,
          lines,
        );
      });
  for (const operation of ['sum', 'min', 'avg', 'last'])
    for (const [value, filter] of [
      ['duration(took)', 'took!=""'],
      ['duration_seconds(took)', 'status=~".+"'],
      ['bytes(weight)', 'weight>5KB'],
      ['bytes(weight)', 'ms!="7"'],
    ])
      it(`${operation} of ${value} where ${filter}`, async () => {
        const expression = `${operation}_over_time(${range(`logfmt | ${filter} | unwrap ${value}`)})`;
        if (operation === 'sum') await requireSame(client, `sum by (status) (${expression})`, lines);
        else await requireSame(client, `${expression} by (status)`, lines);
      });
  for (const parser of [
    'logfmt s="status", path',
    'logfmt u="user_id", ms, s="a_b_c"',
    'logfmt t="took", path="status"',
    'logfmt s="path", path="status"',
    'logfmt s="path", path',
  ])
    for (const filter of [
      's="500"',
      's!=""',
      'path=""',
      'u="7"',
      'ms>5 | __error__=""',
      't>20ms',
      's="7" or path="404"',
      'status="500"',
    ])
      it(`${parser} | ${filter}`, async () => {
        for (const by of ['', 's', 'path, u'])
          await requireSame(
            client,
            `sum by (${by}) (count_over_time(${range(`${parser} | ${filter}`)}))`,
            lines,
          );
      });
  for (const stages of [
    'logfmt | label_format x="{{.status}}-{{.path}}" | x="500-/a"',
    'logfmt | line_format "{{.status}} {{.ms}}" |= "500 7"',
    'logfmt | drop status | status=""',
    'logfmt | keep status, path | status="500" | ms=""',
    'logfmt --strict | status="500" | __error__=""',
    'logfmt --keep-empty | status=""',
    'logfmt s="status", path | s="500"',
    'logfmt | logfmt | status="500"',
    'logfmt | json | status="500"',
    '|= "500" | logfmt | path="/a"',
  ])
    it(stages, () =>
      requireSame(
        client,
        `sum by (path) (count_over_time({dataset="pairs"} ${stages.startsWith('|') ? '' : '|'} ${stages} [10m]))`,
        lines,
      ),
    );
});
