/** Projects with logs of other hours and days, for tests of Home. */
import assert from 'node:assert/strict';
import { addProject, addToken, type Person } from '../../server/tests/support/people.ts';
import { makePicture, uploadFile } from '../../server/tests/support/uploading.ts';

const hourMs = 3_600_000;

type FilledProject = {
  slug: string;
  address: string;
  send(items: readonly object[]): Promise<void>;
  /** Reports as a game server of this name. */
  report(name: string): Promise<void>;
  addFile(): Promise<void>;
};

export async function openProject(owner: Person, slug: string): Promise<FilledProject> {
  const { service } = owner;
  if (slug !== 'default') await addProject(owner, slug);
  const { token } = await addToken(owner, { kind: 'logs', project: slug });
  const post = async (path: string, body: string | null) => {
    const headers = { authorization: token, ...(body !== null && { 'content-type': 'application/json' }) };
    const response = await service.fetch(path, { method: 'POST', headers, body });
    assert.equal(response.status, 200, await response.text());
  };
  return {
    slug,
    address: `/projects/${slug}`,
    send: items => post('/api/v3/logs?dataset=game', JSON.stringify(items)),
    report: name => post(`/api/sdk/report?sdkType=server_a&endpoint=e&resourceName=${name}`, null),
    addFile: async () => {
      const media = await addToken(owner, { kind: 'media', project: slug });
      await uploadFile(service, await makePicture(), {}, { token: media.token });
    },
  };
}

/** Makes entries in an hour that ended some hours ago, by the browser's clock, which tests never change. */
export function makeEntries(
  [count, hoursAgo]: readonly [number, number],
  { level = 'info', message = 'tick took 5 ms' } = {},
): object[] {
  const middle = Date.now() - hoursAgo * hourMs - hourMs / 2;
  return Array.from({ length: count }, (_, index) => ({ level, message, timestamp: middle + index }));
}

export function makeErrors(amount: readonly [number, number]): object[] {
  return makeEntries(amount, { level: 'error', message: 'Nil value in line 7' });
}
