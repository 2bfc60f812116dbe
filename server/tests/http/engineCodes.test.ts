/** Every error code that an engine throws on purpose is one of the service's codes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlobStoreFailure, blobStoreCodes } from '@tapedeck/blob-stores';
import { chatCodes } from '@tapedeck/chat-messages';
import { type ErrorCode, errorStatuses, isExpected } from '@tapedeck/domain/vocabulary';
import { entryCodes } from '@tapedeck/log-entries';
import { protocolCodes } from '@tapedeck/log-protocols';
import { queryCodes } from '@tapedeck/log-query-language';
import { logStoreCodes } from '@tapedeck/log-store';
import { lokiCodes } from '@tapedeck/loki-queries';
import { databaseCodes } from '@tapedeck/metadata-database';
import { bodyCodes } from '@tapedeck/request-bodies';
import { resumableCodes } from '@tapedeck/resumable-uploads';

// The types require it too: a code that the service lacks does not compile here.
const codes: Readonly<Record<string, readonly ErrorCode[]>> = {
  'blob-stores': blobStoreCodes,
  'chat-messages': chatCodes,
  'log-entries': entryCodes,
  'log-query-language': queryCodes,
  'log-protocols': protocolCodes,
  'log-store': logStoreCodes,
  'loki-queries': lokiCodes,
  'metadata-database': databaseCodes,
  'request-bodies': bodyCodes,
  'resumable-uploads': resumableCodes,
};

for (const [engine, list] of Object.entries(codes)) {
  test(`all codes of ${engine} have statuses`, () => {
    for (const code of list) assert.ok(errorStatuses[code] >= 400, code);
  });
}

test('a failure of an engine is an expected error', () => {
  assert.ok(isExpected(new BlobStoreFailure('disk_full', 'The disk is full.')));
  assert.ok(!isExpected(new Error('disk_full')));
});
