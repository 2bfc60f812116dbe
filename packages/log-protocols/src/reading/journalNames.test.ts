/** Tests that entries of a journal keep their parts, whichever shipper and protocol brings them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brief, json, wording } from '../../tests/reading.ts';
import { readBulk } from '../elasticsearch/bulk.ts';
import { readLines, usualLineNames } from '../lines/reader.ts';
import { readSplunkEvents } from '../splunk/reader.ts';

/** As syslog-ng writes them for Elasticsearch, and Fluent Bit reads them from a journal. */
const rows: readonly [document: object, entry: object][] = [
  [
    { PROGRAM: 'sshd', PRIORITY: 'err', MESSAGE: 'no route', HOST: 'web-1' },
    { level: 'error', message: 'no route', resource: 'sshd', metadata: { HOST: 'web-1' } },
  ],
  [
    { MESSAGE: 'started', PRIORITY: '4', SYSLOG_IDENTIFIER: 'systemd', _SYSTEMD_UNIT: 'init.scope' },
    { level: 'warn', message: 'started', resource: 'systemd', metadata: { _SYSTEMD_UNIT: 'init.scope' } },
  ],
  [
    { message: 'own', MESSAGE: 'kept', level: 'debug', _COMM: 'node' },
    { level: 'debug', message: 'own', resource: 'node', metadata: { MESSAGE: 'kept' } },
  ],
];

const protocols = {
  bulk: (document: object) => {
    const [item] = readBulk(Buffer.from(`{"create":{}}\n${JSON.stringify(document)}\n`), {
      ...wording,
      index: null,
    });
    assert.ok(item !== undefined && 'entry' in item);
    return item.entry;
  },
  lines: (document: object) => readLines(json([document]), { ...wording, names: usualLineNames })[0],
  splunk: (event: object) => readSplunkEvents(json({ event }), wording)[0],
};

for (const [name, read] of Object.entries(protocols))
  test(`${name}: reads entries of a journal`, () => {
    for (const [document, entry] of rows) {
      const found = read(document);
      assert.ok(found !== undefined);
      assert.deepEqual(brief(found), entry);
    }
  });
