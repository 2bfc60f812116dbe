/** Bodies that are as dear to read as can be, for Sentry, GELF and the journal of systemd, by the path of the door that takes them. */
import { fill, fillCounted, type HostileShape } from './hostileBodies.ts';

const farTooMuch = 3 * 1024 * 1024; // more than 100,000 of either
const message = '{"short_message":"a"}';
const event = '{"type":"event"}\n';

export const envelopeShapes: Readonly<Record<string, readonly HostileShape[]>> = {
  '/api/1/envelope/': [
    { title: 'line ends', make: bytes => `{}${'\n'.repeat(bytes - 2)}`, status: 200 },
    { title: 'brackets that open', make: bytes => '['.repeat(bytes), status: 400 },
    {
      title: 'items of an unknown type',
      make: bytes => fill(['{}\n', '{"type":"x"}\n1\n', ''], bytes),
      status: 400,
    },
    { title: 'events', make: bytes => fill(['{}\n', `${event}{}\n`, ''], bytes), status: 400 },
    {
      title: 'attachments without a byte',
      make: bytes => fill(['{}\n', '{"type":"attachment","length":0}\n\n', ''], bytes),
      status: 400,
    },
    {
      title: 'logs',
      make: bytes =>
        fill([`{}\n{"type":"log"}\n{"items":[`, '{"body":"a","level":"info","timestamp":1},', ']}\n'], bytes),
      status: 200,
    },
    {
      title: 'frames of a stack',
      make: bytes =>
        fill([`{}\n${event}{"exception":{"values":[{"stacktrace":{"frames":[`, '{},', ']}}]}}\n'], bytes),
      status: 200,
    },
    {
      title: 'exceptions',
      make: bytes => fill([`{}\n${event}{"exception":[`, '{"type":"E"},', ']}\n'], bytes),
      status: 200,
    },
    {
      title: 'tags of a message',
      make: bytes =>
        fillCounted([`{}\n${event}{"message":"m","tags":{`, '}}\n'], index => `"k${index}":1`, bytes),
      status: 200,
    },
    {
      title: 'brackets in a message',
      make: bytes => `{}\n${event}{"message":${'['.repeat(bytes - 40)}\n`,
      status: 400,
    },
  ],
  '/api/1/store/': [
    { title: 'brackets that open', make: bytes => '['.repeat(bytes), status: 400 },
    {
      title: 'breadcrumbs',
      make: bytes => fill(['{"message":"m","breadcrumbs":[', '{"message":"b"},', ']}'], bytes),
      status: 200,
    },
    {
      title: 'contexts',
      make: bytes =>
        fillCounted(['{"message":"m","contexts":{', '}}'], index => `"k${index}":{"a":1}`, bytes),
      status: 200,
    },
  ],
};

export const gelfAndJournalShapes: Readonly<Record<string, readonly HostileShape[]>> = {
  '/gelf': [
    { title: 'brackets that open', make: bytes => '['.repeat(bytes), status: 400 },
    { title: 'messages', make: bytes => fill(['', message, ''], bytes / 2), status: 202 },
    { title: 'more messages than are taken', make: () => fill(['', message, ''], farTooMuch), status: 413 },
    {
      title: 'fields of a message',
      make: bytes => fillCounted(['{"short_message":"a",', '}'], index => `"_k${index}":1`, bytes),
      status: 400,
    },
    {
      title: 'escapes of a message',
      make: bytes => fill(['{"short_message":"a","full_message":"', '\\u0061', '"}'], bytes),
      status: 400,
    },
  ],
  '/upload': [
    { title: 'line ends', make: bytes => '\n'.repeat(bytes), status: 202 },
    { title: 'entries', make: bytes => 'MESSAGE=a\n\n'.repeat(bytes / 33), status: 202 },
    {
      title: 'more entries than one request of other protocols may have',
      make: () => 'MESSAGE=a\n\n'.repeat(farTooMuch / 11),
      status: 202,
    },
    { title: 'fields of one name', make: bytes => `MESSAGE=m\n${'A=b\n'.repeat(bytes / 4)}`, status: 202 },
    {
      title: 'fields of an entry',
      make: bytes => fillCounted(['MESSAGE=m\n', '\n'], index => `K${index}=1`, bytes).replaceAll(',', '\n'),
      status: 202,
    },
    { title: 'fields without a value', make: bytes => `${'A'.repeat(bytes)}\n`, status: 400 },
  ],
};
