/** Stills and waveforms of files that become private: once made, they are as inaccessible as the bytes. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import * as actions from '@tapedeck/contract/fileActions';
import { deleteFile } from '@tapedeck/contract/files';
import { updateProject } from '@tapedeck/contract/projects';
import { withToken } from '../support/client.ts';
import { addPerson } from '../support/people.ts';
import { filmWithTone } from '../support/sampleVideos.ts';
import { makeDirectory, startTestService } from '../support/service.ts';
import { makeSound, mediaEnvironment, mediaToken, pathOf, uploadFile } from '../support/uploading.ts';

const service = await startTestService({ environment: mediaEnvironment });
const directory = await makeDirectory();
after(async () => {
  await service[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});
const client = withToken(service, mediaToken);
const owner = await addPerson(service, { isOwner: true });
const project = { params: { project: 'default' } };
const film = filmWithTone(directory.path, 'tone.mp4');
const sound = makeSound({ seconds: 2, tone: 40 });

type Step = (file: string) => Promise<unknown>;
const edit =
  (body: { visibility?: 'private' | 'public'; path?: string }): Step =>
  file =>
    client.call(actions.updateFile, { params: { file }, body });
const setRules =
  (...folders: { path: string; visibility: 'private' | 'public' }[]): Step =>
  () =>
    owner.call(updateProject, { ...project, body: { trashDays: 30, visibility: { folders } } });

const rule = { path: 'hidden', visibility: 'private' } as const;
const ways: readonly [title: string, hide: Step, show: Step, leaves: boolean][] = [
  ['is made private', edit({ visibility: 'private' }), edit({ visibility: 'public' }), true],
  ['moves to a private folder', edit({ path: 'hidden' }), edit({ path: '' }), true],
  ['is in a folder that becomes private', setRules(rule, { path: 'place', visibility: 'private' }), setRules(rule), true],
  [
    'moves to the trash',
    file => client.call(deleteFile, { params: { file }, query: { trash: 'true' } }),
    file => client.call(actions.restoreFile, { params: { file } }),
    false,
  ],
]; // biome-ignore format: a table

const forms: readonly [kind: string, bytes: Buffer, queries: readonly string[]][] = [
  ['video', film, ['', '?poster', '?poster&w=320&format=jpeg', '?strip', '?strip&w=640', '?waveform']],
  ['sound', sound, ['', '?waveform', '?waveform&w=320']],
];
const requests: readonly RequestInit[] = [{}, { method: 'HEAD' }, { headers: { range: 'bytes=0-9' } }];

for (const [kind, bytes, queries] of forms)
  describe(`a ${kind} that`, () => {
    for (const [title, hide, show, hasLink] of ways)
      it(title, async () => {
        await setRules(rule)('');
        const { id, url } = await uploadFile(service, bytes, { path: 'place' });
        const path = pathOf(url);
        const etags: string[] = [];
        // Twice: the first read caches bytes in memory, and previews on disk.
        for (const query of [...queries, ...queries]) {
          const response = await service.fetch(path + query);
          assert.equal(response.status, 200, query);
          etags.push(response.headers.get('etag') ?? '');
          await response.arrayBuffer();
        }
        await hide(id);
        for (const query of queries)
          for (const request of [...requests, ...etags.map(tag => ({ headers: { 'if-none-match': tag } }))]) {
            const response = await service.fetch(path + query, request);
            assert.equal(response.status, 404, `${query} ${JSON.stringify(request)}`);
            for (const name of ['etag', 'last-modified', 'content-range'])
              assert.equal(response.headers.get(name), null);
            assert.equal(response.headers.get('cache-control'), 'no-store');
          }
        if (hasLink) {
          const { data } = await client.call(actions.linkFile, { params: { file: id }, body: {} });
          for (const query of queries) {
            const response = await service.fetch(pathOf(data.url) + query.replace('?', '&'));
            assert.equal(response.status, 200, query);
            assert.match(response.headers.get('cache-control') ?? '', /^private/);
          }
        }
        await show(id);
        assert.equal((await service.fetch(path + (queries[1] ?? ''))).status, 200);
      });
  });
