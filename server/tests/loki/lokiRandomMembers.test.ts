/** Random JSON lines, many of them odd or broken: the log store must find the labels that the parser finds. LINES=20000 tries more of them. */
import { after, describe, it } from 'node:test';
import { createRandom } from '@tapedeck/log-store/testing';
import { startTestService } from '../support/service.ts';
import { openLoki } from './lokiEntries.ts';
import { requireSame, spreadLines } from './memberLines.ts';

const random = createRandom(Number(process.env.SEED ?? 26));
const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
const isOften = (share: number) => random() < share;

const keys = ['status', 'path', 'ms', 'user', 'id', 'user_id', 'a', 'b', 'a_b', '_entry'];
const oddKeys = [
  'user.id',
  'user-id',
  ' status',
  'status  ',
  'st\\u0061tus',
  '\\"status',
  'a\\nb',
  '',
  'zeige status',
];
const texts = [
  '',
  'a',
  'GET',
  '/status',
  'status',
  'user id',
  'é',
  'two  words',
  '12',
  '-3',
  '0x1',
  'null',
  'true',
];
const oddTexts = [
  '{', '}', '}}', '{\\"status\\":1}', '\\"status\\":', ',\\"ms\\":7,', 'end\\\\', '\\\\\\"', 'line\\nbreak', '\\u00e9', '\ufffd', '[1]', ':', ' status ',
]; // biome-ignore format: a list of texts
const words = [
  '0',
  '5',
  '404',
  '500',
  '-7',
  '1.5',
  '200.0',
  '-0',
  '1e3',
  '12345678901234567890123',
  'true',
  'false',
  'null',
];

type Style = { blank: string; oddness: number };

function writeValue(style: Style, depth: number): string {
  if (depth < 3 && isOften(0.25)) return writeObject(style, depth + 1);
  if (isOften(0.06))
    return `[${Array.from({ length: Math.floor(random() * 3) }, () => writeValue(style, depth + 1)).join(`,${style.blank}`)}]`;
  if (isOften(0.5)) return pick(words);
  return `"${pick(isOften(style.oddness) ? oddTexts : texts)}"`;
}

function writeObject(style: Style, depth: number): string {
  const { blank, oddness } = style;
  const members = Array.from({ length: Math.floor(random() * 6) }, () => {
    const key = pick(isOften(oddness / 2) ? oddKeys : keys);
    return `"${key}"${isOften(oddness / 8) ? ' ' : ''}:${blank}${writeValue(style, depth)}`;
  });
  return `{${members.join(`,${blank}`)}}`;
}

/** A line as a program cuts it off, or as a person writes it. */
function damage(line: string): string {
  const place = Math.floor(random() * (line.length + 1));
  return pick([
    line.slice(0, place),
    line.slice(0, place) + line.slice(place + 1),
    `${line.slice(0, place)}${pick(['"', '{', '}', '\\', ',', ' ', '\t', '"status":5'])}${line.slice(place)}`,
    ` ${line}`,
    `${line} more`,
    `${line}${line}`,
    `[${line}]`,
  ]);
}

function writeLine(): string {
  const style = { blank: pick(['', '', ' ', '\n\t']), oddness: pick([0, 0, 0.1, 0.4]) };
  const line = writeObject(style, 0);
  return isOften(0.15) ? damage(line) : line;
}

const count = Number(process.env.LINES ?? 1_200);
const bodies = Array.from({ length: count }, writeLine);
const { lines, entries } = spreadLines('random', bodies, () => ({}));

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const client = await openLoki(service);
await client.store(entries, 'random');

const range = (stages: string) => `{dataset="random"} | json ${stages} [10m]`;
const filters = [
  '',
  '| status="500"',
  '| status!=""',
  '| status>100',
  '| user_id!=""',
  '| a_b="a"',
  '| path=~".+" | ms!="5"',
  '| __error__=""',
];
const groupings = ['status', 'path', 'ms', 'user_id', 'a_b', 'id, a', 'status, a_b'];

describe('the log store and the parser agree on random JSON', () => {
  for (const filter of filters)
    for (const by of groupings)
      it(`${filter || 'without a filter'} by ${by}`, () =>
        requireSame(client, `sum by (${by}) (count_over_time(${range(filter)}))`, lines));
  for (const filter of ['', '| status="500"', '| status!=""', '| status>100', '| user_id!=""', '| a_b="a"'])
    for (const by of ['status', 'a_b', 'user_id, path', 'id'])
      it(`by paths, ${filter || 'without a filter'} by ${by}`, () => {
        const parser = `json status="status", user_id="user.id", a_b="a.b", path="path"`;
        return requireSame(
          client,
          `sum by (${by}) (count_over_time({dataset="random"} | ${parser} ${filter} [10m]))`,
          lines,
        );
      });
  for (const stages of [
    'status="404"',
    'path="GET" or a="two  words"',
    'status>=404 | __error__=""',
    'user_id="12"',
    'ms="" |= "a"',
  ])
    it(`on unpacked labels, ${stages}`, () =>
      requireSame(
        client,
        `sum by (path) (count_over_time({dataset="random"} | unpack | ${stages} [10m]))`,
        lines,
      ));
  it('on sums', () =>
    requireSame(client, `sum by (path) (sum_over_time(${range('| unwrap ms | __error__=""')}))`, lines));
});
