/** Files that are deleted or hidden while a client reads them: what was begun ends whole, and nothing new begins. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import * as actions from '@tapedeck/contract/fileActions';
import { revokeToken } from '@tapedeck/contract/tokens';
import { describeRefusal, withToken } from '../support/client.ts';
import { addPerson, addToken } from '../support/people.ts';
import { startQuietService } from '../support/service.ts';
import { makeSound, mediaEnvironment, mediaToken, pathOf, uploadFile } from '../support/uploading.ts';

const service = await startQuietService({ environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const sound = makeSound({ seconds: 1_900 }); // 15 MB: more than the system buffers for a connection
const headers = { authorization: mediaToken, 'content-type': 'application/json' };

/** Resolves once the first bytes have come. */
async function begin(path: string): Promise<IncomingMessage> {
  const [response] = (await once(get(new URL(path, service.url)), 'response')) as [IncomingMessage]; // as documented
  await once(response, 'readable');
  return response;
}

const change = (id: string, init: RequestInit) => service.fetch(`/api/v3/file/${id}`, { headers, ...init });

for (const [title, act] of [
  ['deleted', id => change(id, { method: 'DELETE' })],
  ['made private', id => change(id, { method: 'PATCH', body: JSON.stringify({ visibility: 'private' }) })],
] as [string, (id: string) => Promise<Response>][])
  test(`a file that is ${title} while it is read arrives whole, and its next range is refused`, async () => {
    const { id, url } = await uploadFile(service, sound);
    const reading = await begin(pathOf(url));
    assert.equal((await act(id)).status, 200);
    const next = await service.fetch(pathOf(url), { headers: { range: 'bytes=1000-1999' } });
    assert.equal(await describeRefusal(next), '404 not_found');
    assert.ok((await buffer(reading)).equals(sound));
  });

test('a link that ends while it is read gives the whole file, and no range after that', async () => {
  const { token, id: tokenId } = await addToken(owner, { kind: 'media' });
  const { id } = await uploadFile(service, sound, { visibility: 'private' });
  const link = async (expiresIn: number) => {
    const call = { params: { file: id }, body: { expiresIn } };
    return pathOf((await withToken(service, token).call(actions.linkFile, call)).data.url);
  };
  const [short, long] = [await link(10), await link(3_600)];
  const readings = [await begin(short), await begin(long)];
  const range = async (path: string) => service.fetch(path, { headers: { range: 'bytes=1000-1999' } });
  const expiresAt = Number(new URLSearchParams(short.split('?')[1]).get('expires')) * 1000;
  service.clock.advance(expiresAt - 1 - service.clock.now());
  assert.equal((await range(short)).status, 206);
  service.clock.advance(1);
  assert.equal(await describeRefusal(await range(short)), '410 link_expired', 'its last second is over');
  await owner.call(revokeToken, { params: { project: 'default', token: tokenId } });
  assert.equal(await describeRefusal(await range(long)), '410 link_expired');
  for (const reading of readings) assert.ok((await buffer(reading)).equals(sound));
});
