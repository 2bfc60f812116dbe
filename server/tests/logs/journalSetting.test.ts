/** The setting for where acknowledged entries are kept: on disk, or in the bucket if all storage is shared. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../../src/config.ts';

const shared = {
  TAPEDECK_DATABASE_URL: 'postgres://a@b/c',
  TAPEDECK_S3_BUCKET: 'media',
  TAPEDECK_S3_ACCESS_KEY_ID: 'id',
  TAPEDECK_S3_SECRET_ACCESS_KEY: 'secret',
  TAPEDECK_CLICKHOUSE_URL: 'http://a:8123',
};

test('the journal is in the media bucket where all stores are shared, and on disk otherwise', () => {
  for (const [name] of Object.entries({ '': '', ...shared })) {
    const { [name]: _, ...some } = { ...shared } as Record<string, string>;
    if (name.includes('_S3_') && name !== 'TAPEDECK_S3_BUCKET') continue; // without its keys there is no bucket
    if (name === 'TAPEDECK_S3_BUCKET')
      for (const each of Object.keys(some)) if (each.includes('_S3_')) delete some[each];
    assert.equal(readConfig(some).journal === null, name !== '', name);
  }
  assert.equal(readConfig({ ...shared, TAPEDECK_JOURNAL: 'disk' }).journal, null);
  for (const chosen of [{}, { TAPEDECK_JOURNAL: 's3' }, { TAPEDECK_JOURNAL: ' ' }]) {
    const { journal, blobs } = readConfig({ ...shared, ...chosen });
    assert.equal(journal?.bucket, 'media');
    assert.deepEqual(journal, blobs);
  }
});

test('rejects the bucket without one of the shared stores, and names them', () => {
  for (const name of ['TAPEDECK_DATABASE_URL', 'TAPEDECK_CLICKHOUSE_URL'] as const) {
    const { [name]: _, ...others } = shared;
    assert.throws(
      () => readConfig({ ...others, TAPEDECK_JOURNAL: 's3' }),
      /^SettingError: TAPEDECK_JOURNAL.*needs .*_CLICKHOUSE_URL/,
    );
  }
  assert.throws(() => readConfig({ TAPEDECK_JOURNAL: 's3' }), /TAPEDECK_S3_BUCKET/);
  assert.throws(() => readConfig({ TAPEDECK_JOURNAL: 'memory' }), /TAPEDECK_JOURNAL.*disk or s3/);
});
