/** File events: subscribed channels receive each as a signed webhook. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createChannel } from '@tapedeck/contract/channels';
import { addPerson } from '../support/people.ts';
import { startReceiver } from '../support/receiver.ts';
import { startTestService } from '../support/service.ts';
import { makePicture, mediaEnvironment, mediaToken, uploadFile } from '../support/uploading.ts';

const params = { project: 'default' };

test('subscribers are notified when a file is created and when it is deleted', async () => {
  await using receiver = await startReceiver();
  await using service = await startTestService({
    environment: { ...mediaEnvironment, TAPEDECK_OUTGOING_PRIVATE: 'true' },
  });
  const owner = await addPerson(service, { isOwner: true });
  const target = { kind: 'webhook', target: receiver.url } as const;
  const add = (name: string, events: ('file.created' | 'file.deleted' | 'rule.fired')[]) =>
    owner.call(createChannel, { params, body: { ...target, name, events } });
  await add('both', ['file.created', 'file.deleted']);
  await add('neither', ['rule.fired']);
  const { id } = await uploadFile(service, await makePicture());
  await receiver.wait(1);
  const headers = { authorization: mediaToken };
  const answer = await service.fetch(`/api/v3/file/${id}`, { method: 'DELETE', headers });
  assert.equal(answer.status, 200);
  const notifications = (await receiver.wait(2)).map(
    ({ body }) => JSON.parse(body) as { type: string; data: EventData },
  );
  assert.deepEqual(
    notifications.map(({ type, data: { project, file } }) => [
      type,
      project,
      file.id,
      file.type,
      file.metadata,
    ]),
    [
      ['file.created', 'default', id, 'image', {}],
      ['file.deleted', 'default', id, 'image', {}],
    ],
  );
});

type EventData = { project: string; file: { id: string; type: string; metadata: object } };
