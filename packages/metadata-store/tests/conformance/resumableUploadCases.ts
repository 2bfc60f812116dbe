/** Resumable uploads: one holder at a time, shared accounting of space, and one file for each. */
import assert from 'node:assert/strict';
import type { Upload } from '@tapedeck/domain/ports/resumableUploads';
import { openMetadataStore } from '../../src/store.ts';
import type { ConformanceCase } from './cases.ts';
import { sampleFile, sampleProject } from './samples.ts';

const limits = { uploadsMax: 10, bytesMax: 10_000 };
const now = 1_700_000_000_000;
const hold = (holder: string, heldUntil = now + 1000) => ({ holder, heldUntil });

let lastId = 0;

export function sampleUpload(changes: Partial<Upload> = {}): Upload {
  return {
    id: `upload${String(++lastId).padStart(14, '0')}`,
    project: 'default',
    maker: 'grant:1',
    fields: '{"path":"ü"}',
    metadataHeader: 'filename YQ==',
    lengthBytes: 1000,
    sizeBytes: 0,
    expiresAt: now + 5000,
    result: null,
    ...changes,
  };
}

export const resumableUploadCases: readonly ConformanceCase[] = [
  {
    title: 'finds what was created, and nothing else',
    run: async ({ store: { resumableUploads, write } }) => {
      await write(({ projects }) => projects.insert(sampleProject()));
      for (const upload of [sampleUpload(), sampleUpload({ lengthBytes: null, maker: '' })]) {
        await resumableUploads.create(upload, limits);
        assert.deepEqual(await resumableUploads.find(upload.id), upload);
      }
      assert.equal(await resumableUploads.find('none'), null);
      await assert.rejects(resumableUploads.create(sampleUpload({ project: 'gone' }), limits), {
        code: 'not_found',
      });
    },
  },
  {
    title: 'one holder at a time, until its lease expires or is released',
    run: async ({ config, store }) => {
      await using other = await openMetadataStore(config);
      await store.write(({ projects }) => projects.insert(sampleProject()));
      const upload = sampleUpload();
      await store.resumableUploads.create(upload, limits);
      const take = async (by: typeof store, holder: string, at = now) =>
        (await by.resumableUploads.hold(upload.id, hold(holder, at + 1000), at))?.isHeld;
      assert.equal(await take(store, 'one'), true);
      assert.equal(await take(other, 'two'), false);
      assert.equal(await other.resumableUploads.renew(upload.id, hold('two')), false);
      assert.equal(await store.resumableUploads.renew(upload.id, hold('one', now + 3000)), true);
      assert.equal(await take(other, 'two', now + 2000), false);
      assert.equal(await take(other, 'two', now + 3000), true);
      const progress = { sizeBytes: 10, lengthBytes: 1000, expiresAt: now + 9000 };
      assert.equal(await store.resumableUploads.progress(upload.id, hold('one'), progress), false);
      assert.equal(await other.resumableUploads.progress(upload.id, hold('two'), progress), true);
      assert.deepEqual(await store.resumableUploads.find(upload.id), { ...upload, ...progress });
      await store.resumableUploads.release(upload.id, 'one');
      assert.equal(await take(store, 'one'), false);
      await store.resumableUploads.release(upload.id, 'two');
      assert.equal(await take(store, 'one'), true);
      await store.resumableUploads.releaseAll();
      assert.equal(await take(other, 'two'), true);
      assert.equal(await other.resumableUploads.forget(upload.id, 'one'), false);
      assert.equal(await other.resumableUploads.forget(upload.id, 'two'), true);
      assert.equal(await other.resumableUploads.hold(upload.id, hold('two'), now), null);
    },
  },
  {
    title: 'concurrent creations at two nodes share the quota',
    run: async ({ config, store }) => {
      await using other = await openMetadataStore(config);
      await store.write(({ projects }) => projects.insert(sampleProject({ bytesMax: 4000, filesMax: 9 })));
      const outcomes = await Promise.allSettled(
        Array.from({ length: 12 }, (_, index) =>
          (index % 2 === 0 ? store : other).resumableUploads.create(sampleUpload(), limits),
        ),
      );
      const codes = outcomes.map(outcome => (outcome.status === 'rejected' ? outcome.reason.code : 'fine'));
      assert.deepEqual(codes.sort(), [...Array(4).fill('fine'), ...Array(8).fill('quota_exceeded')]);
    },
  },
  {
    title: 'limits open uploads even without a quota',
    run: async ({ store: { resumableUploads, write } }) => {
      await write(({ projects }) => projects.insert(sampleProject()));
      const create = (lengthBytes: number) =>
        resumableUploads.create(sampleUpload({ lengthBytes }), { uploadsMax: 2, bytesMax: 1500 });
      await create(1000);
      await assert.rejects(create(501), { code: 'quota_exceeded' });
      await create(500);
      await assert.rejects(create(0), { code: 'quota_exceeded' });
    },
  },
  {
    title: 'the end inserts the file once, only by the holder, and counts it once',
    run: async ({ store: { files, resumableUploads, write } }) => {
      const file = sampleFile();
      await write(({ projects }) => projects.insert(sampleProject({ bytesMax: file.sizeBytes })));
      const upload = sampleUpload({ lengthBytes: file.sizeBytes });
      await resumableUploads.create(upload, limits);
      await resumableUploads.hold(upload.id, hold('one'), now);
      const done = { id: upload.id, holder: 'one', expiresAt: now + 7000 };
      await assert.rejects(files.insert(sampleFile({ id: 'other000000000000000' })), {
        code: 'quota_exceeded',
      });
      await assert.rejects(resumableUploads.finish({ ...done, holder: 'two' }, file));
      assert.equal(await files.find('default', file.id), null);
      await resumableUploads.finish(done, file);
      assert.equal((await files.find('default', file.id))?.id, file.id);
      assert.equal((await resumableUploads.find(upload.id))?.result, file.id);
      await assert.rejects(resumableUploads.finish(done, sampleFile({ id: 'other000000000000000' })));
      assert.deepEqual(await files.usage('default'), { files: 1, bytes: file.sizeBytes });
    },
  },
  {
    title: 'lists expired ones in pages',
    run: async ({ store: { resumableUploads, write } }) => {
      await write(({ projects }) => projects.insert(sampleProject()));
      const uploads = [1, 2, 3].map(number => sampleUpload({ expiresAt: now + number }));
      for (const upload of uploads) await resumableUploads.create(upload, limits);
      const list = (at: number, afterId = '') => resumableUploads.listExpired({ now: at, afterId, limit: 2 });
      const ids = uploads.map(({ id }) => id);
      assert.deepEqual(await list(now), []);
      assert.deepEqual(await list(now + 1), ids.slice(0, 1));
      assert.deepEqual(await list(now + 3), ids.slice(0, 2));
      assert.deepEqual(await list(now + 3, ids[1]), ids.slice(2));
    },
  },
];
