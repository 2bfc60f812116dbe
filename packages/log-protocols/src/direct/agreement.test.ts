/** Checks that direct writers store exactly what the readers would. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { wording } from '../../tests/reading.ts';
import { recordEntries, recordPlain } from '../../tests/recordedRows.ts';
import { bodiesOf, lists } from '../../tests/simpleBodies.ts';
import { writeDatadog } from '../datadog/direct.ts';
import { readDatadog } from '../datadog/reader.ts';
import { readBulk } from '../elasticsearch/bulk.ts';
import { writeBulk } from '../elasticsearch/directBulk.ts';
import { writeOtlpJson } from '../otlp/directJson.ts';
import { readOtlp } from '../otlp/reader.ts';
import type { SentEntry } from '../reading/sentEntry.ts';
import { writeSplunkEvents } from '../splunk/direct.ts';
import { readSplunkEvents } from '../splunk/reader.ts';
import type { DirectTask } from './writer.ts';

type Door = {
  name: string;
  read(body: Buffer): readonly SentEntry[];
  write(task: DirectTask, body: Buffer): unknown;
  /** Builds a whole body from objects, each given as text. */
  join(objects: readonly string[]): string | Buffer;
};

const datadog = { ...wording, isJson: true, defaults: { ddsource: 'test', service: 'shop' } };
const bulk = { ...wording, index: null };

const doors: readonly Door[] = [
  {
    name: 'Datadog',
    read: body => readDatadog(body, datadog),
    write: (task, body) => writeDatadog(task, body, datadog),
    join: objects => `[${objects.join()}]`,
  },
  {
    name: 'bulk',
    read: body =>
      readBulk(body, bulk).map(item => {
        if ('entry' in item) return item.entry;
        throw item.refusal;
      }),
    write: (task, body) => writeBulk(task, body, bulk),
    join: objects => objects.map(each => `{"create":{}}\n${each}\n`).join(''),
  },
  {
    name: 'Splunk',
    read: body => readSplunkEvents(body, wording),
    write: (task, body) => writeSplunkEvents(task, body, wording),
    join: objects => objects.join(' '),
  },
  {
    name: 'OTLP',
    read: body => readOtlp(body, 'json', wording),
    write: (task, body) => writeOtlpJson(task, body, wording),
    join: objects => `{"resourceLogs":[${objects.join()}]}`,
  },
];

/** Returns whether the body was plain; if so, checks that both readers store the same. */
function compare(door: Door, body: Buffer): boolean {
  const plain = recordPlain(task => door.write(task, body));
  if (plain !== null)
    assert.deepEqual(
      plain,
      recordEntries(() => door.read(body)),
    );
  return plain !== null;
}

for (const door of doors) {
  describe(door.name, () => {
    const bodies: fc.Arbitrary<object[]> = bodiesOf[door.name] ?? lists;
    test('stores random bodies as the other reader does', () => {
      let taken = 0;
      const runs = 1_500;
      const check = (list: readonly object[], space: string) => {
        const each = list.map(object => JSON.stringify(object, null, space));
        if (compare(door, Buffer.from(door.join(each)))) taken++;
      };
      fc.assert(fc.property(bodies, fc.constantFrom('', '', ' '), check), { numRuns: runs });
      assert.ok(taken > runs / 40, `it took ${taken}`);
    });

    test('accepts no damaged body that the other reader refuses', () => {
      const bytes = fc.constantFrom(
        ...'[]{}",:\\u0123456789eE+-.tfn\n\r\0 a'.split(''),
        '\xff',
        '\xc3',
        '\xc2\xa0',
      );
      const damages = fc.array(fc.tuple(fc.nat(), fc.nat(2), bytes), { minLength: 1, maxLength: 3 });
      const check = (list: readonly object[], places: readonly (readonly [number, number, string])[]) => {
        const text = door.join(list.map(object => JSON.stringify(object)));
        const pieces = Buffer.from(text).toString('latin1').split('');
        for (const [at, removed, added] of places) pieces.splice(at % pieces.length, removed, added);
        compare(door, Buffer.from(pieces.join(''), 'latin1'));
      };
      fc.assert(fc.property(bodies, damages, check), { numRuns: 2_000 });
    });
  });
}
