/** Generates bodies with special and ordinary names, plain and unusual values. */
import fc from 'fast-check';
import { nowMicros } from './recordedRows.ts';

const instant = new Date(nowMicros / 1000).toISOString();
const names = fc.constantFrom(
  'message',
  'msg',
  'log',
  'level',
  'log.level',
  'status',
  'severity',
  'service',
  'service.name',
  'name',
  'time',
  'timestamp',
  '@timestamp',
  'ts',
  'date',
  'event',
  'fields',
  'index',
  'host',
  'source',
  'metadata',
  'levelname',
  'MESSAGE',
  'PRIORITY',
  'PROGRAM',
  'content',
  'a',
  'b',
  'a.b',
  'b.c.d',
  'x',
  '',
  'ключ',
  '__proto__',
  'ddsource',
  'resource',
  '_id',
);
const texts = fc.oneof(
  fc.constantFrom(
    'info',
    'WARN',
    ' error ',
    'fatal',
    'ok',
    'odd',
    '30',
    '5',
    '',
    '{"level":"warn"}',
    '{"status":3}',
  ),
  fc.constantFrom(
    instant,
    `${instant.slice(0, 19)}Z`,
    '2025-11-23T08:00:00.1234567+00:00',
    '2025-11-23',
    '2025-11-23T08:00:00.5',
    '1763884800.5',
  ),
  fc.constantFrom(
    '1763884800123',
    '1763884800123456',
    '1763884800123456789',
    'é🎮',
    'line\nbreak',
    '"',
    '\\',
  ),
  fc.string({ unit: 'binary', maxLength: 8 }),
);
const numbers = fc.oneof(
  fc.constantFrom(0, 3, 7, 20, 50, -1, 1763884800, 1763884800.125, 1763884800123, 1763884800123.5, 1e21),
  fc.integer(),
  fc.double({ min: -1e6, max: 1e6, noNaN: true }),
);
const { values } = fc.letrec<{ values: unknown }>(tie => ({
  values: fc.oneof(
    { maxDepth: 3 },
    texts,
    numbers,
    fc.boolean(),
    fc.constant(null),
    fc.dictionary(names, tie('values'), { maxKeys: 3 }),
    fc.array(tie('values'), { maxLength: 2 }),
  ),
}));
const scalars = fc.oneof({ weight: 4, arbitrary: texts }, numbers, fc.boolean(), fc.constant(null));
const objects = fc.oneof(
  fc.dictionary(names, scalars, { minKeys: 1, maxKeys: 6 }),
  fc.dictionary(names, values, { minKeys: 1, maxKeys: 5 }),
);
const times = fc.constantFrom(
  1763884800,
  1763884800.125,
  1763884800123,
  '1763884800.25',
  '1763884800',
  '',
  null,
);
const told = fc
  .tuple(fc.dictionary(names, values, { maxKeys: 4 }), texts)
  .map(([event, message]) => ({ ...event, message }));
const events = fc.record(
  {
    event: fc.oneof(texts, told, fc.dictionary(names, values, { maxKeys: 4 })),
    fields: fc.dictionary(names, scalars, { maxKeys: 2 }),
    time: fc.oneof({ weight: 9, arbitrary: times }, numbers, texts),
    index: fc.constantFrom('', 'main'),
    host: scalars,
  },
  { requiredKeys: ['event'] },
);
const digits = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom('1763884800123456789', '1763884800123456000', '0') },
  fc.constantFrom('', '5', 'now', '17638848001234567890'),
);
const kinds = fc.oneof(
  fc.record({ stringValue: texts }),
  fc.record({ intValue: fc.constantFrom('7', '-9007199254740993') }),
  fc.record({ doubleValue: numbers }),
  fc.record({ boolValue: fc.boolean() }),
  fc.constantFrom({}, { arrayValue: { values: [{ stringValue: 'a' }] } }, { stringValue: null }),
);
const attributes = fc.array(fc.record({ key: names, value: kinds }), { maxLength: 3 });
const records = fc.record(
  {
    timeUnixNano: digits,
    observedTimeUnixNano: digits,
    severityNumber: fc.constantFrom<unknown>(0, 5, 9, 17, 'SEVERITY_NUMBER_WARN', null),
    severityText: fc.constantFrom('WARN', 'odd', ''),
    body: kinds,
    attributes,
    flags: fc.constantFrom(0, 1),
    traceId: fc.constantFrom('', 'abc'),
    eventName: fc.constantFrom('', 'login'),
  },
  { requiredKeys: [] },
);
const resources = fc.record(
  {
    resource: fc.record({
      attributes: fc.array(
        fc.record({ key: fc.constantFrom('service.name', 'host', 'a.b', 'a', 'process'), value: kinds }),
        { maxLength: 3 },
      ),
    }),
    scopeLogs: fc.array(
      fc.record(
        {
          scope: fc.record({ name: texts, attributes }, { requiredKeys: [] }),
          logRecords: fc.array(records, { maxLength: 2 }),
          schemaUrl: fc.constantFrom(undefined, undefined, undefined, 'x'),
        },
        { requiredKeys: ['logRecords'] },
      ),
      { maxLength: 2 },
    ),
    schemaUrl: fc.constantFrom(undefined, undefined, undefined, ''),
  },
  { requiredKeys: ['resource', 'scopeLogs'] },
);
/** Generates lists in the order in which exporters write them. */
const resourceLists = fc.array(
  resources.map(({ resource, scopeLogs, schemaUrl }) => ({
    resource,
    scopeLogs: scopeLogs.map(({ scope, logRecords, schemaUrl: url }) => ({
      scope,
      logRecords,
      schemaUrl: url,
    })),
    schemaUrl,
  })),
  { minLength: 1, maxLength: 2 },
);
export const lists = fc.array(objects, { minLength: 1, maxLength: 3 });
const eventLists = fc.array(fc.oneof({ weight: 9, arbitrary: events }, objects), {
  minLength: 1,
  maxLength: 2,
});

/** Generators for formats whose bodies are not plain objects, by format name. */
export const bodiesOf: Record<string, fc.Arbitrary<object[]>> = {
  Splunk: eventLists,
  OTLP: resourceLists,
};
