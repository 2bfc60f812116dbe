/** Metadata keys may be any text: each is stored, shown in every response, and found again. */

import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { getFacets, getLog, getLogContext, queryLogs } from '@tapedeck/contract/logs';
import { limits } from '@tapedeck/domain/vocabulary';
import { entryLimits } from '@tapedeck/log-entries';
import { readAs } from '../support/jsonAnswers.ts';
import { follow } from '../support/logFollowers.ts';
import { openLogClient } from '../support/logSender.ts';
import { startTestService } from '../support/service.ts';
import {
  formOf,
  makePicture,
  makePoster,
  mediaEnvironment,
  mediaToken,
  readRecord,
  readUploaded,
  sendForm,
  uploadFile,
} from '../support/uploading.ts';

const service = await startTestService({ environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const { get, post, token } = await openLogClient(service);
const { postJson, postText } = makePoster(service);
const picture = await makePicture();

/** No value is nested, so the service stores keys without flattening. */
const keys: readonly [title: string, key: string][] = [
  ['a line feed', 'a\nb'],
  ['a carriage return', 'a\rb'],
  ['both, and nothing else', '\r\n'],
  ['a line separator', 'a\u2028b'],
  ['a paragraph separator', '\u2029'],
  ['a next line', 'a\u0085b'],
  ['a tab and other controls', '\t\u0001\u001f\u007f'],
  ['no character', ''],
  ['a dot', '.'],
  ['dots at both ends', '..a..'],
  ['blanks', ' \u00a0\u3000'],
  ['a quote', '"'],
  ['quotes of SQL', "' OR 1=1 --"],
  ['backslashes', '\\\\n\\'],
  ['braces, like those of parameters', '{p0:String}'],
  ['special characters of URLs', '%00&=#?+'],
  ['names of object members', 'constructor'],
  ['more of those', 'toString'],
  ['a number', '0'],
  ['right to left', '\u202eabc\u202c'],
  ['a zero width joiner', '\u200d'],
  ['a byte order mark', '\ufeff'],
  ['a noncharacter', '\uffff'],
  ['an emoji', '👩‍👩‍👧'],
  ['a decomposed letter', 'e\u0301'],
];
const logKeys: readonly [title: string, key: string][] = [
  ...keys,
  ['U+0000', 'a\0b'],
  ['names that modify objects', '__proto__'],
  ['the maximum number of bytes', 'ä'.repeat(entryLimits.metadataKeyBytesMax / 2)],
];

/** Builds metadata with this key; `__proto__` is a key like others. */
const metadataOf = (key: string) => Object.fromEntries([[key, `value of ${key}`]]);

function escapeAll(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[^\x20-\x7e]/g,
    unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

type Sender = (dataset: string, item: { metadata: object }) => Promise<Response>;
const senders: readonly [title: string, send: Sender][] = [
  ['plain', (dataset, item) => post([{ level: 'info', message: '', ...item }], `?dataset=${dataset}`)],
  [
    'with every character escaped',
    (dataset, { metadata }) => {
      const [[key = '', value = ''] = []] = Object.entries(metadata);
      const body = `[{"level":"info","message":"","metadata":{${escapeAll(key)}:${escapeAll(value)}}}]`;
      return post(body, `?dataset=${dataset}`);
    },
  ],
  [
    'compressed, with an unknown field',
    (dataset, item) =>
      post(
        gzipSync(JSON.stringify([{ level: 'info', message: '', unknown: 1, ...item }])),
        `?dataset=${dataset}`,
        { 'content-encoding': 'gzip' },
      ),
  ],
  [
    'as old clients do',
    (dataset, item) =>
      service.fetch('/api/logs', {
        method: 'POST',
        headers: { authorization: token, 'content-type': 'application/json', 'x-service-dataset': dataset },
        body: JSON.stringify({ level: 'info', message: '', ...item }),
      }),
  ],
];

let datasets = 0;

describe('A key of log metadata', () => {
  for (const [title, key] of logKeys) {
    it(`with ${title} is in every response`, async () => {
      const dataset = `keys${++datasets}`;
      const metadata = metadataOf(key);
      await using follower = await follow(service.url, `dataset=${dataset}`, { token });
      for (const [way, send] of senders) assert.equal((await send(dataset, { metadata })).status, 200, way);
      const expected = senders.map(() => metadata);
      const { data } = await readAs(queryLogs.answer, await get(`?dataset=${dataset}`));
      assert.deepEqual(
        data.map(entry => entry.metadata),
        expected,
      );
      const { traceId = '' } = data[1] ?? {};
      const one = await readAs(getLog.answer, await get(`/${traceId}`));
      assert.deepEqual(one.data.metadata, metadata);
      const around = (await readAs(getLogContext.answer, await get(`/${traceId}/context`))).data;
      const neighbours = [...around.before, around.entry, ...around.after];
      assert.deepEqual(
        neighbours.map(entry => entry.metadata),
        expected,
      );
      const lines = (await (await get(`/export?dataset=${dataset}`)).text()).split('\n').slice(0, -1);
      assert.deepEqual(
        lines.map(line => JSON.parse(line).metadata),
        expected,
      );
      const csv = await (await get(`/export?dataset=${dataset}&format=csv`)).text();
      assert.equal(csv.split(JSON.stringify(metadata).replaceAll('"', '""')).length, 1 + senders.length);
      await follower.takeBodies(senders.length);
      assert.deepEqual(
        follower.events.map(({ entry }) => entry.metadata),
        expected,
      );
    });

    it(`with ${title} can be filtered and counted`, async () => {
      const dataset = `keys${++datasets}`;
      for (const [way, send] of senders)
        assert.equal((await send(dataset, { metadata: metadataOf(key) })).status, 200, way);
      await post(
        [{ level: 'info', message: 'other', metadata: { [`${key}x`]: 'value' } }],
        `?dataset=${dataset}`,
      );
      const name = encodeURIComponent(`metadata.${key}`);
      const value = `value of ${key}`;
      const path = `?dataset=${dataset}&includeTotal=true&${name}=${encodeURIComponent(value)}`;
      assert.equal((await readAs(queryLogs.answer, await get(path))).pagination.total, senders.length);
      const facets = await readAs(getFacets.answer, await get(`/facets?dataset=${dataset}&field=${name}`));
      assert.deepEqual(facets.data, [{ value, count: senders.length }]);
    });
  }
});

describe('A key of a file', () => {
  const nested = (key: string) => ({ ...metadataOf(key), deeper: [{ [key]: { [key]: key } }] });
  for (const [title, key] of keys) {
    it(`with ${title} is in every response, and can be filtered`, async () => {
      const metadata = nested(key);
      const text = JSON.stringify(metadata);
      const base64 = picture.toString('base64');
      const uploads = [
        await sendForm(service, formOf(picture, { metadata: text })),
        await postJson({ base64, metadata }),
        await postJson({ base64, metadata: text }),
        await postText(`?metadata=${encodeURIComponent(text)}`, base64),
      ];
      const ids = (await Promise.all(uploads.map(readUploaded))).map(({ id }) => id);
      for (const id of ids) assert.deepEqual((await readRecord(service, id)).metadata, metadata);
      const query = `${encodeURIComponent(`metadata.${key}`)}=${encodeURIComponent(`value of ${key}`)}`;
      const listed = await service.fetch(`/api/v3/file?${query}`, { headers: { authorization: mediaToken } });
      const { data } = (await listed.json()) as { data: { id: string; metadata: object }[] };
      if (!key.includes('.')) assert.deepEqual(data.map(({ id }) => id).toSorted(), ids.toSorted());
      for (const record of data) assert.deepEqual(record.metadata, metadata);
    });
  }

  it('that is as long as the metadata may be is kept', async () => {
    const metadata = { ['k'.repeat(limits.metadataBytesMax - 7)]: 1 };
    const { id } = await uploadFile(service, picture, { metadata: JSON.stringify(metadata) });
    assert.deepEqual((await readRecord(service, id)).metadata, metadata);
  });
});
