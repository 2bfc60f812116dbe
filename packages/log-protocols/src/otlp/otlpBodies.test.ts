/** Tests that bodies keep the types of their values, the same in both encodings. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { json, wording } from '../../tests/reading.ts';
import { readOtlp } from './reader.ts';

const { LengthDelimited, Varint } = WireType;

/** `{list: [1, '1', null], empty: null, big: 2^63 - 1, no: -5}` */
const jsonBody = {
  kvlistValue: {
    values: [
      { key: 'list', value: { arrayValue: { values: [{ intValue: '1' }, { stringValue: '1' }, {}] } } },
      { key: 'empty', value: {} },
      { key: 'big', value: { intValue: '9223372036854775807' } },
      { key: 'no', value: { int_value: -5 } },
    ],
  },
};

function writeBinary(): Buffer {
  const writer = new BinaryWriter();
  const open = (...fields: number[]) => {
    for (const field of fields) writer.tag(field, LengthDelimited).fork();
  };
  const close = (count: number) => {
    for (let left = count; left > 0; left--) writer.join();
  };
  const pair = (key: string, value: () => void) => {
    open(1);
    writer.tag(1, LengthDelimited).string(key);
    open(2);
    value();
    close(2);
  };
  open(1, 2, 2, 5, 6); // resource, scope, record, body, map
  pair('list', () => {
    open(5, 1);
    writer.tag(3, Varint).int64(1).join();
    open(1);
    writer.tag(1, LengthDelimited).string('1').join();
    open(1);
    close(2);
  });
  pair('empty', () => undefined);
  pair('big', () => writer.tag(3, Varint).int64('9223372036854775807'));
  pair('no', () => writer.tag(3, Varint).int64(-5));
  close(5);
  return Buffer.from(writer.finish());
}

const expected = '{"list":[1,"1",null],"empty":null,"big":"9223372036854775807","no":-5}';

test('a body in JSON keeps numbers, texts and null apart', () => {
  const request = { resourceLogs: [{ scopeLogs: [{ logRecords: [{ body: jsonBody }] }] }] };
  assert.equal(readOtlp(json(request), 'json', wording)[0]?.message, expected);
});

test('a binary body keeps numbers, texts and null apart', () => {
  assert.equal(readOtlp(writeBinary(), 'protobuf', wording)[0]?.message, expected);
});
