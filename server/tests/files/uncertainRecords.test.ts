/** Bytes whose record could not be stored: deleted if the database refused the record, kept if it broke off and may have stored it. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { openBlobStore, openOwnStaging } from '@tapedeck/blob-stores';
import { storeUpload } from '@tapedeck/domain/files/uploads';
import { systemClock } from '@tapedeck/domain/ports/clock';
import type { FileRecords } from '@tapedeck/domain/ports/files';
import { type ErrorCode, ServiceError } from '@tapedeck/domain/vocabulary';
import { makeDirectory } from '../support/service.ts';
import { makeSound } from '../support/uploading.ts';

const fields = { filename: 'a.wav', path: '', metadata: {}, retentionExempt: false, visibility: null };
const permission = { requireType: () => undefined, choosePath: (folder: string) => folder };

for (const { code, left } of [
  { code: 'quota_exceeded', left: 0 },
  { code: 'not_found', left: 0 },
  { code: 'disk_full', left: 0 },
  { code: 'unavailable', left: 1 },
  { code: 'overloaded', left: 1 },
] as const satisfies readonly { code: ErrorCode; left: number }[]) {
  test(`${left} of one blob remains when its record fails with ${code}`, async () => {
    await using place = await makeDirectory();
    const directory = path.join(place.path, 'media');
    await using blobs = await openBlobStore({ kind: 'disk', directory }, Date.now);
    using staging = await openOwnStaging(path.join(place.path, 'staging'));
    const bytes = makeSound();
    await using staged = await staging.stage(sendOnce(bytes), {
      bytesMax: bytes.length,
      refuse: () => assert.fail('it fits'),
    });
    const files = { insert: () => Promise.reject(new ServiceError(code, 'Not now.')) };
    const deps = {
      staging,
      blobs,
      clock: systemClock,
      fileSizeBytesMax: bytes.length,
      spans: null,
      files: files as unknown as FileRecords, // an upload without a key calls nothing else of it
      counts: { countUpload: () => assert.fail('it is not stored') },
      access: { findProject: () => null },
    };
    const upload = { project: 'default', staged, permission, idempotencyKey: null, readFields: () => fields };
    await assert.rejects(storeUpload(deps, upload), { code });
    const names = await readdir(path.join(directory, 'files'), { recursive: true });
    assert.equal(names.filter(name => name.endsWith('.wav')).length, left);
  });
}

async function* sendOnce(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
