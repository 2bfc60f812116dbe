/** Subjects named by files, and searches within time ranges: each database agrees with counting by hand. */
import assert from 'node:assert/strict';
import type { StoredFile } from '@tapedeck/domain/ports/files';
import { everything, parseFileQuery } from '@tapedeck/log-query-language';
import type { ConformanceCase } from './cases.ts';
import { answerByHand, makeChance, makeFiles } from './randomFiles.ts';
import { insertDefaultProject, sampleFile } from './samples.ts';

const paths = { idPaths: ['player.id', 'tags.1'], namePaths: ['player.name'] };
const usual = { by: 'createdAt', order: 'desc' } as const;

/** Returns the distinct texts at the paths. */
function readTexts({ metadata }: StoredFile, wanted: readonly string[]): string[] {
  const texts = new Set<string>();
  const visit = (path: string, value: unknown): void => {
    if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) visit(path === '' ? key : `${path}.${key}`, inner);
    } else if (wanted.includes(path) && String(value) !== '') texts.add(String(value));
  };
  visit('', metadata);
  return [...texts];
}

export const fileSubjectCases: readonly ConformanceCase[] = [
  {
    title: 'subjects of random files, some of which go to the trash and back',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      const chance = makeChance(17);
      const files = makeFiles(chance, 200).map(sampleFile);
      await Promise.all(files.map(file => store.files.insert(file)));
      for (const removed of [null, ...files.slice(20, 23)]) {
        if (removed !== null) assert.ok(await store.files.trash(removed, 1));
        const left = files.filter(file => file !== removed);
        const subjects = await store.files.listSubjects('default', paths);
        const ids = new Set(left.flatMap(file => readTexts(file, paths.idPaths)));
        assert.deepEqual(new Set(subjects.keys()), ids);
        for (const id of ids) {
          const own = left.filter(file => readTexts(file, paths.idPaths).includes(id));
          const times = own.map(({ createdAt }) => createdAt * 1000);
          const expected = {
            count: own.length,
            firstMicros: Math.min(...times),
            lastMicros: Math.max(...times),
            names: new Set(own.flatMap(file => readTexts(file, paths.namePaths))),
          };
          const sum = subjects.get(id);
          assert.deepEqual({ ...sum, names: new Set(sum?.names.keys()) }, expected, id);
          const profile = await store.files.describeSubject('default', { ...paths, id, paths: [] });
          assert.equal(profile?.files, own.length);
          assert.equal(
            profile?.bytes,
            own.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
          );
          assert.equal(profile?.types.audio, own.filter(({ type }) => type === 'audio').length);
        }
        const counts = await store.files.countPaths('default');
        assert.equal(counts.get('player.name'), left.filter(({ metadata }) => 'player' in metadata).length);
        if (removed !== null) assert.ok(await store.files.restore(removed));
      }
      assert.equal(await store.files.describeSubject('default', { ...paths, id: 'nobody', paths: [] }), null);
    },
  },
  {
    title: 'searches within time ranges',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      const files = makeFiles(makeChance(3), 120).map(sampleFile);
      await Promise.all(files.map(file => store.files.insert(file)));
      const start = files[0]?.createdAt ?? 0;
      for (const [from, to] of [
        [null, null],
        [30, null],
        [null, 30],
        [30, 60],
        [60, 30],
        [50, 50],
      ] as const)
        for (const text of ['*', 'size:>1000']) {
          const query = parseFileQuery(text) ?? everything;
          const times = {
            fromMs: from === null ? null : start + from,
            toMs: to === null ? null : start + to,
          };
          const found = await store.files.search('default', {
            filter: { type: null, path: '', terms: [], metadata: [] },
            times,
            query,
            sort: usual,
            from: { offset: 0 },
            limit: 1000,
          });
          const within = files.filter(
            ({ createdAt }) =>
              createdAt >= (times.fromMs ?? createdAt) && createdAt <= (times.toMs ?? createdAt),
          );
          const expected = answerByHand(within, query, usual);
          assert.deepEqual([found.files.map(({ id }) => id), found.total], [expected, expected.length]);
        }
    },
  },
];
