/** Decisions about issues. */
import assert from 'node:assert/strict';
import type { IssueDecision } from '@tapedeck/domain/ports/issues';
import type { ConformanceCase } from './cases.ts';
import { insertDefaultProject, sampleProject } from './samples.ts';

const decide = (changes: Partial<IssueDecision> = {}): IssueDecision => ({
  project: 'default',
  pattern: '00000000000000aa',
  state: 'resolved',
  decidedAt: 1_700_000_000_000,
  decidedBy: 'user a@example.org',
  ...changes,
});

export const issueCases: readonly ConformanceCase[] = [
  {
    title: 'a pattern has one decision per project, which can be replaced and withdrawn',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      await store.manage(records => records.projects.insert(sampleProject({ slug: 'other' })));
      const put = (decision: IssueDecision) => store.write(({ issues }) => issues.put(decision));
      await put(decide({ pattern: 'b'.repeat(16) }));
      await put(decide());
      await put(decide({ project: 'other' }));
      const changed = decide({ state: 'ignored', decidedAt: 1_700_000_000_001, decidedBy: 'command line' });
      await put(changed);
      assert.deepEqual(await store.read.issues.list('default'), [
        changed,
        decide({ pattern: 'b'.repeat(16) }),
      ]);
      const remove = () => store.write(({ issues }) => issues.remove('default', changed.pattern));
      assert.equal(await remove(), true);
      assert.equal(await remove(), false);
      assert.equal((await store.read.issues.list('default')).length, 1);
      assert.deepEqual(await store.read.issues.list('other'), [decide({ project: 'other' })]);
    },
  },
];
