/** Projects, tokens, and the revision that keeps copies of them current. */
import assert from 'node:assert/strict';
import { openMetadataStore } from '../../src/store.ts';
import type { ConformanceCase } from './cases.ts';
import { insertDefaultProject, sampleProject, sampleToken } from './samples.ts';

const projectCases: readonly ConformanceCase[] = [
  {
    title: 'a project is read back as inserted, with any field values',
    run: async ({ store }) => {
      const plain = sampleProject();
      const full = sampleProject({
        slug: 'föhn-😀',
        name: `Quote ' " \\ % _ ; -- Ünïcødé`,
        cdnDomain: 'cdn.example.com',
        cdnEnabled: true,
        retention: { days: { image: 30, video: 7, audio: null }, folders: [{ prefix: 'clips/', days: 1 }] },
        bytesMax: Number.MAX_SAFE_INTEGER,
        filesMax: 0,
        deletedAt: 1_700_000_000_001,
      });
      for (const project of [plain, full]) {
        await store.manage(records => records.projects.insert(project));
        assert.deepEqual(await store.read.projects.find(project.slug), project);
      }
      assert.equal(await store.read.projects.find('other'), null);
    },
  },
  {
    title: 'a slug is never free again, and the error names it',
    run: async ({ store }) => {
      await store.manage(records => records.projects.insert(sampleProject({ deletedAt: 5 })));
      await assert.rejects(
        store.manage(records => records.projects.insert(sampleProject())),
        { code: 'name_taken', message: /default/ },
      );
      assert.equal((await store.read.projects.find('default'))?.deletedAt, 5);
    },
  },
  {
    title: 'a rejected insert does not abort the rest of its transaction',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      await store.manage(async records => {
        await assert.rejects(records.projects.insert(sampleProject()), { code: 'name_taken' });
        await records.projects.insert(sampleProject({ slug: 'second' }));
      });
      assert.deepEqual(
        (await store.read.projects.list()).map(project => project.slug),
        ['default', 'second'],
      );
    },
  },
  {
    title: 'an update replaces all but slug and creation; lists live projects by slug in bytes',
    run: async ({ store }) => {
      for (const slug of ['b', 'B', 'a', 'ä', 'gone', '-']) {
        await store.manage(records => records.projects.insert(sampleProject({ slug })));
      }
      const changed = sampleProject({
        slug: 'gone',
        name: 'Gone',
        deletedAt: 9,
        cdnDomain: 'x.example',
        cdnEnabled: true,
      });
      await store.manage(records => records.projects.update({ ...changed, createdAt: 77 }));
      assert.deepEqual(await store.read.projects.find('gone'), changed);
      assert.deepEqual(
        (await store.read.projects.list()).map(project => project.slug),
        ['-', 'B', 'a', 'b', 'ä'],
      );
    },
  },
];

const tokenCases: readonly ConformanceCase[] = [
  {
    title: 'a token is read back as inserted',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      const token = sampleToken({
        scopes: ['read', 'type:image', 'path:clips'],
        expiresAt: 4_102_444_800_000,
      });
      await store.manage(records => records.tokens.insert(token));
      assert.deepEqual(await store.read.tokens.find(token.id), token);
      assert.equal(await store.read.tokens.find('other'), null);
    },
  },
  {
    title: 'rejects an existing hash and an unknown project',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      await store.manage(records => records.tokens.insert(sampleToken({ id: 'a', hash: 'same' })));
      await assert.rejects(
        store.manage(records => records.tokens.insert(sampleToken({ id: 'b', hash: 'same' }))),
        { code: 'name_taken' },
      );
      await assert.rejects(
        store.manage(records => records.tokens.insert(sampleToken({ id: 'c', project: 'other' }))),
        { code: 'not_found' },
      );
    },
  },
  {
    title: 'lists unrevoked tokens newest first, per project or all; a second revocation is reported',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      await store.manage(async records => {
        await records.projects.insert(sampleProject({ slug: 'second' }));
        await records.tokens.insert(sampleToken({ id: 'old', createdAt: 1 }));
        await records.tokens.insert(sampleToken({ id: 'new', createdAt: 3 }));
        await records.tokens.insert(sampleToken({ id: 'other', createdAt: 2, project: 'second' }));
        await records.tokens.insert(sampleToken({ id: 'revoked', createdAt: 4 }));
      });
      assert.deepEqual(await store.manage(records => records.tokens.revoke(['revoked'], 10)), ['revoked']);
      assert.deepEqual(await store.manage(records => records.tokens.revoke(['revoked'], 11)), []);
      assert.deepEqual(await store.manage(records => records.tokens.revoke(['unknown'], 11)), []);
      assert.equal((await store.read.tokens.find('revoked'))?.revokedAt, 10);
      const listIds = async (project: string | null) =>
        (await store.read.tokens.list(project)).map(token => token.id);
      assert.deepEqual(await listIds('default'), ['new', 'old']);
      assert.deepEqual(await listIds(null), ['new', 'other', 'old']);
    },
  },
  {
    title: 'last uses move forward, never back, and do not change the revision',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      const ids = Array.from({ length: 1201 }, (_, index) => `token${index}`);
      // In several transactions: on a busy machine one would exceed its timeout.
      for (let start = 0; start < ids.length; start += tokensAtOnce) {
        await store.manage(async records => {
          for (const id of ids.slice(start, start + tokensAtOnce))
            await records.tokens.insert(sampleToken({ id }));
        });
      }
      const { revision } = await store.readAccessChanges(0);
      await store.write(records => records.tokens.recordUses(ids.map(id => ({ id, usedAt: 50 }))));
      await store.write(records =>
        records.tokens.recordUses([
          { id: 'token0', usedAt: 40 },
          { id: 'token1', usedAt: 70 },
          { id: 'token1', usedAt: 60 },
          { id: 'unknown', usedAt: 80 },
        ]),
      );
      await store.write(records => records.tokens.recordUses([]));
      const readUse = async (id: string) => (await store.read.tokens.find(id))?.lastUsedAt;
      assert.deepEqual(await Promise.all(['token0', 'token1', 'token1200'].map(readUse)), [50, 70, 50]);
      assert.deepEqual(await store.readAccessChanges(revision), { revision, projects: [], tokens: [] });
    },
  },
];

const revisionCases: readonly ConformanceCase[] = [
  {
    title: 'changes since a revision include deleted and revoked rows, and those of plain writes',
    run: async ({ store }) => {
      assert.deepEqual(await store.readAccessChanges(0), { revision: 0, projects: [], tokens: [] });
      await insertDefaultProject(store);
      const token = sampleToken();
      await store.manage(async records => {
        await records.projects.insert(sampleProject({ slug: 'second' }));
        await records.tokens.insert(token);
      });
      const all = await store.readAccessChanges(0);
      assert.deepEqual([all.revision, all.projects.length, all.tokens], [2, 2, [token]]);
      await store.write(records => records.tokens.revoke([token.id], 9));
      await store.write(records => records.projects.update(sampleProject({ slug: 'second', deletedAt: 8 })));
      assert.deepEqual(await store.readAccessChanges(2), {
        revision: 4,
        projects: [sampleProject({ slug: 'second', deletedAt: 8 })],
        tokens: [{ ...token, revokedAt: 9 }],
      });
      assert.deepEqual(await store.readAccessChanges(4), { revision: 4, projects: [], tokens: [] });
    },
  },
  {
    title: 'another connection sees acknowledged writes at once',
    run: async ({ store, config }) => {
      await using other = await openMetadataStore(config);
      for (let index = 1; index <= 20; index += 1) {
        await store.manage(records => records.projects.insert(sampleProject({ slug: `p${index}` })));
        assert.notEqual(await other.read.projects.find(`p${index}`), null);
        assert.equal((await other.readAccessChanges(index - 1)).projects[0]?.slug, `p${index}`);
      }
    },
  },
  {
    title: 'concurrent changes in two stores lose no revision, and no reader sees one before its rows',
    run: async ({ store, config }) => {
      await using other = await openMetadataStore(config);
      const perStore = 40;
      const insertMany = async (from: typeof store, name: string) => {
        for (let index = 0; index < perStore; index += 1) {
          await from.manage(records => records.projects.insert(sampleProject({ slug: `${name}${index}` })));
        }
      };
      const watch = async (): Promise<number> => {
        const seen = new Set<string>();
        let revision = 0;
        while (revision < 3 * perStore) {
          const changes = await other.readAccessChanges(revision);
          for (const { slug } of changes.projects) seen.add(slug);
          // Each transaction above takes one revision and inserts one project.
          assert.equal(seen.size, changes.revision);
          revision = changes.revision;
        }
        return seen.size;
      };
      const [seen] = await Promise.all([
        watch(),
        insertMany(store, 'a'),
        insertMany(store, 'b'),
        insertMany(other, 'c'),
      ]);
      assert.equal(seen, 3 * perStore);
    },
  },
  {
    title: 'rows that a managed change reads stay valid until it ends',
    run: async ({ store, config }) => {
      await using other = await openMetadataStore(config);
      await insertDefaultProject(store);
      const raise = (from: typeof store) =>
        from.manage(async records => {
          const project = await records.projects.find('default');
          assert.ok(project);
          await records.projects.update({ ...project, filesMax: (project.filesMax ?? 0) + 1 });
        });
      await Promise.all(Array.from({ length: 30 }, (_, index) => raise(index % 2 === 0 ? store : other)));
      assert.equal((await store.read.projects.find('default'))?.filesMax, 30);
    },
  },
];

const tokensAtOnce = 200;

export const accessCases = [...projectCases, ...tokenCases, ...revisionCases];
