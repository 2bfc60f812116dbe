/** A node without a lease has segments that the database never accepts. No note in the bucket may count instead. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog, storeMessages } from '../../../tests/rows.ts';
import { LogStoreFailure } from '../../failures.ts';
import { openBatchesOf } from '../../intake/batches.ts';
import { Registrar, registeredMsMax } from './registrar.ts';
import type { SegmentBucket } from './segmentBucket.ts';
import type { SegmentRegistry } from './segmentRegistry.ts';
import { SegmentWriter } from './segmentWriter.ts';
import { WriterLease } from './writerLease.ts';

const leftMs = 400; // left of the minute in which a segment can be registered

/** A database that tells its time and has no room for anything. The test calls nothing else. */
function openFullDatabase(): SegmentRegistry {
  const refuse = () => Promise.reject(new Error('could not extend file'));
  return {
    readClock: async () => Date.now(),
    openWriter: refuse,
    register: refuse,
  } as unknown as SegmentRegistry;
}

test('refuses a request that cannot be registered after a minute, and later requests at once', async () => {
  const names: string[] = [];
  const put = async (name: string) => void names.push(name);
  const bucket = { put } as unknown as SegmentBucket; // the test calls nothing else
  const registry = openFullDatabase();
  await using lease = new WriterLease({ registry });
  await lease.asked;
  const registrar = new Registrar({ log: silentLog, bucket, registry, lease });
  await using writer = new SegmentWriter({
    log: silentLog,
    bucket,
    registrar,
    nextShard: () => '',
    onWritten: () => assert.fail('it is kept'),
    readTime: async () => Date.now() - registeredMsMax + leftMs,
  });
  const store = (message: string) => storeMessages({ openBatch: openBatchesOf(writer) }, [message]);
  const startedAt = performance.now();
  const refused = (sentence: RegExp) => (error: unknown) =>
    error instanceof LogStoreFailure && error.code === 'unavailable' && sentence.test(error.message);
  await assert.rejects(store('one'), refused(/did not say whether it has the entries\. Send them again/));
  assert.ok(performance.now() - startedAt >= leftMs, 'not before nobody can register it any more');
  assert.equal(names.length, 1, 'its bytes, and no note');
  await assert.rejects(store('two'), refused(/right now; send them again later/));
  assert.equal(names.length, 1);
});
