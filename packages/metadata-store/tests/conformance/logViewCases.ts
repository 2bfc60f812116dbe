/** Saved searches of logs. */
import assert from 'node:assert/strict';
import type { ConformanceCase } from './cases.ts';
import { insertDefaultProject, sampleLogView, sampleProject } from './samples.ts';

export const logViewCases: readonly ConformanceCase[] = [
  {
    title: 'a view is read back as inserted, listed by name, and its name and query can be replaced',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      const views = ['b', 'Ä "x"', 'a'].map((name, index) => sampleLogView({ id: `view${index}`, name }));
      for (const view of views) await store.write(records => records.logViews.insert(view));
      assert.deepEqual(await store.read.logViews.find('view1'), views[1]);
      assert.deepEqual(
        (await store.read.logViews.list('default')).map(({ name }) => name),
        ['a', 'b', 'Ä "x"'],
      );
      const changed = { ...views[1]!, name: 'c', query: 'level=debug' };
      await store.write(records => records.logViews.update(changed));
      assert.deepEqual(await store.read.logViews.find('view1'), changed);
      assert.deepEqual(await store.read.logViews.find('view0'), views[0]);
    },
  },
  {
    title: 'a name is unique in a project, and free again when its view is removed',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      await store.manage(records => records.projects.insert(sampleProject({ slug: 'other' })));
      const insert = (id: string, project = 'default') =>
        store.write(records => records.logViews.insert(sampleLogView({ id, project })));
      await insert('view1');
      await insert('view2', 'other');
      await assert.rejects(insert('view3'), { code: 'name_taken' });
      const { name } = sampleLogView();
      await store.write(records => records.logViews.insert(sampleLogView({ id: 'view4', name: 'free' })));
      const rename = (view: string) =>
        store.write(records => records.logViews.update(sampleLogView({ id: 'view4', name: view })));
      await assert.rejects(rename(name), { code: 'name_taken' });
      await rename('free too');
      await store.write(records => records.logViews.remove('view4'));
      const remove = (id: string) => store.write(records => records.logViews.remove(id));
      assert.equal(await remove('view1'), true);
      assert.equal(await remove('view1'), false);
      assert.deepEqual(await store.read.logViews.list('default'), []);
      assert.equal((await store.read.logViews.list('other')).length, 1);
      await insert('view3');
    },
  },
  {
    title: 'stores no view for an unknown project',
    run: async ({ store }) => {
      const view = sampleLogView({ project: 'never' });
      await assert.rejects(
        store.write(records => records.logViews.insert(view)),
        { code: 'not_found' },
      );
    },
  },
];
