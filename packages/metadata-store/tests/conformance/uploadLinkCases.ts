/** Users' upload links. */
import assert from 'node:assert/strict';
import type { UploadLink } from '@tapedeck/domain/ports/uploadLinks';
import type { ConformanceCase } from './cases.ts';
import { insertDefaultProject, sampleProject } from './samples.ts';

export function sampleUploadLink(changes: Partial<UploadLink> = {}): UploadLink {
  return {
    id: 'link0000000000000000',
    project: 'default',
    makerId: 'user0000000000000000',
    path: 'reports/ü x',
    type: null,
    usesMax: 3,
    createdAt: 1_700_000_000_000,
    expiresAt: 1_700_000_900_000,
    ...changes,
  };
}

export const uploadLinkCases: readonly ConformanceCase[] = [
  {
    title: "lists a maker's links of a project newest first, and removes them some time after they expire",
    run: async ({ store }) => {
      await insertDefaultProject(store);
      await store.manage(records => records.projects.insert(sampleProject({ slug: 'other' })));
      const older = sampleUploadLink({ type: 'video' });
      const newer = sampleUploadLink({
        id: 'b',
        createdAt: older.createdAt + 1,
        expiresAt: older.expiresAt + 9,
      });
      await store.write(async ({ uploadLinks }) => {
        await uploadLinks.insert(older);
        await uploadLinks.insert(newer);
        await uploadLinks.insert(sampleUploadLink({ id: 'c', project: 'other' }));
        await uploadLinks.insert(sampleUploadLink({ id: 'd', makerId: 'somebody else' }));
      });
      const list = (limit: number) => store.read.uploadLinks.listNewest(older, limit);
      assert.deepEqual(await list(9), [newer, older]);
      assert.deepEqual(await list(1), [newer]);
      await store.write(({ uploadLinks }) => uploadLinks.forgetExpired(newer.expiresAt));
      assert.deepEqual(await list(9), [newer]);
    },
  },
];
