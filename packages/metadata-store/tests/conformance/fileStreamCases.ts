/** Streams of files: all that matched when the stream began are returned, whatever is deleted or changed meanwhile. */
import assert from 'node:assert/strict';
import type { StreamedFile } from '@tapedeck/domain/ports/files';
import type { MetadataStore } from '@tapedeck/domain/ports/metadata';
import { everything, parseFileQuery } from '@tapedeck/log-query-language';
import type { ConformanceCase } from './cases.ts';
import { insertFiles, whole, wholeFilter } from './fileSearchCases.ts';
import { answerByHand, makeChance } from './randomFiles.ts';
import { insertDefaultProject, sampleFile } from './samples.ts';

const clipsWithoutSounds = '(path:clips OR path:clips/*) -path:Clips -type:audio';
const usual = { by: 'createdAt', order: 'desc' } as const;

async function readStream(
  store: MetadataStore,
  question: Parameters<MetadataStore['files']['stream']>[1],
): Promise<StreamedFile[]> {
  const streamed: StreamedFile[] = [];
  for await (const page of store.files.stream('default', question)) streamed.push(...page);
  return streamed;
}

export const fileStreamCases: readonly ConformanceCase[] = [
  {
    title: 'a stream of all matches, including those removed in the meantime',
    run: async ({ store }) => {
      const chance = makeChance(29);
      const files = await insertFiles(store, chance, 1_050);
      const question = {
        ...whole,
        filter: { ...wholeFilter, path: 'clips' },
        query: parseFileQuery('-type:audio'),
      };
      const meant = answerByHand(files, parseFileQuery(clipsWithoutSounds) ?? everything, usual);
      for (const order of ['asc', 'desc'] as const) {
        const streamed = await readStream(store, { ...question, order });
        assert.deepEqual(
          streamed.map(({ id, file }) => [id, file?.id]),
          (order === 'desc' ? meant : meant.toReversed()).map(id => [id, id]),
        );
      }
      const stream = store.files.stream('default', { ...whole, query: null, order: 'asc' });
      const { value: first = [] } = await stream.next();
      const [removed, trashed, restored, renamed] = files.slice(-4);
      assert.ok(first.length < files.length - 4 && removed && trashed && restored && renamed);
      assert.ok(await store.files.remove(removed, 1));
      assert.ok(await store.files.trash(trashed, 1));
      assert.ok((await store.files.trash(restored, 1)) && (await store.files.restore(restored)));
      assert.ok(await store.files.update(renamed, now => ({ ...now, filename: 'renamed.png' })));
      await store.files.insert(
        sampleFile({ id: 'laterfile', key: 'laterfile.bin', createdAt: 1_800_000_000_000 }),
      );
      const streamed = [...first];
      for await (const page of stream) streamed.push(...page);
      assert.deepEqual(
        streamed.map(({ id }) => id),
        files.map(({ id }) => id),
      );
      assert.deepEqual(
        streamed.slice(-4).map(({ file }) => file?.filename ?? null),
        [null, null, restored.filename, 'renamed.png'],
      );
    },
  },
  {
    title: 'a stream of a folder without records that were moved out of it in the meantime',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      const files = Array.from({ length: 501 }, (_, index) => {
        const id = `moved${index}`;
        return sampleFile({
          id,
          key: `${id}.bin`,
          path: 'shown/to/some',
          createdAt: 1_700_000_000_000 + index,
        });
      });
      await Promise.all(files.map(file => store.files.insert(file)));
      const filter = { ...wholeFilter, path: 'shown' };
      const stream = store.files.stream('default', { ...whole, filter, query: null, order: 'asc' });
      await stream.next();
      const last = files.at(-1);
      assert.ok(last && (await store.files.update(last, now => ({ ...now, path: 'showntonobody' }))));
      assert.deepEqual((await stream.next()).value, [{ id: last.id, file: null }]);
    },
  },
];
