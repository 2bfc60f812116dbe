/** Tests that forms show the service's errors at the fields concerned. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ApiError, type Client, createClient } from '@tapedeck/client';
import { addPerson } from '../../server/tests/support/people.ts';
import { startQuietService } from '../../server/tests/support/service.ts';
import { placeErrors } from '../src/format/fieldErrors.ts';

const service = await startQuietService();
after(() => service[Symbol.asyncDispose]());
const { cookie } = await addPerson(service, { isOwner: true });
const api = createClient({
  baseUrl: service.url,
  fetch: (url, request) =>
    fetch(url, { ...request, headers: { ...request?.headers, cookie: `tapedeck_session=${cookie}` } }),
});

const params = { project: 'default' };
const person = { email: 'ada@example.org', password: 'long enough for this', name: 'Ada' };
const days = { image: null, video: null, audio: null };

const refusals: readonly {
  form: string;
  fields: readonly string[];
  /** The field with the error. */
  at: string;
  send: (api: Client) => Promise<unknown>;
}[] = [
  ...(['email', 'name', 'password'] as const).map(field => ({
    form: 'a new user',
    fields: ['email', 'name', 'password', 'project'],
    at: field,
    send: ({ createUser }: Client) => createUser({ body: { ...person, [field]: '' } }),
  })),
  {
    form: 'the password',
    fields: ['currentPassword', 'newPassword'],
    at: 'newPassword',
    send: ({ changePassword }) => changePassword({ body: { currentPassword: 'x', newPassword: 'short' } }),
  },
  {
    form: 'a new project',
    fields: ['name', 'slug'],
    at: 'slug',
    send: ({ createProject }) => createProject({ body: { name: 'Harbour', slug: 'Not a slug' } }),
  },
  {
    form: 'a member',
    fields: ['email'],
    at: 'email',
    send: ({ addMember }) => addMember({ params, body: { email: 'nobody', role: 'member' } }),
  },
  {
    form: 'the name of a project',
    fields: ['name'],
    at: 'name',
    send: ({ updateProject }) => updateProject({ params, body: { name: '' } }),
  },
  {
    form: 'the domain',
    fields: ['cdnDomain', 'cdnEnabled'],
    at: 'cdnDomain',
    send: ({ updateProject }) => updateProject({ params, body: { cdnDomain: 'https://example.org/' } }),
  },
  {
    form: 'the switch of the domain',
    fields: ['cdnDomain', 'cdnEnabled'],
    at: 'cdnEnabled',
    send: ({ updateProject }) => updateProject({ params, body: { cdnEnabled: true } }),
  },
  {
    form: 'quotas',
    fields: ['bytesMax', 'filesMax'],
    at: 'filesMax',
    send: ({ updateProject }) => updateProject({ params, body: { filesMax: -1 } }),
  },
  {
    form: 'retention, deep inside',
    fields: ['retention'],
    at: 'retention',
    send: ({ updateProject }) =>
      updateProject({ params, body: { retention: { ...days, folders: [{ path: '', days: 3 }] } } }),
  },
  {
    form: 'a token that would end before it begins',
    fields: ['name', 'kind', 'expiresAt'],
    at: 'expiresAt',
    send: ({ createToken }) =>
      createToken({ params, body: { kind: 'media', expiresAt: '2001-01-01T00:00:00Z' } }),
  },
  {
    form: 'a view',
    fields: ['name'],
    at: 'name',
    send: ({ createLogView }) => createLogView({ params, body: { name: '', query: '' } }),
  },
];

for (const { form, fields, at, send } of refusals) {
  test(`${form}: an error about ${at} is shown at its field`, async () => {
    const error = await send(api).then(
      () => assert.fail('the service took it'),
      (reason: unknown) => reason,
    );
    assert(error instanceof ApiError);
    assert.equal(error.code, 'invalid_field', error.message);
    const placed = placeErrors(error, fields);
    assert.equal(placed.at(at), error.message);
    assert.equal(placed.rest, null);
  });
}

test('shows an error about a missing field at that field', async () => {
  const response = await service.fetch('/api/manage/sign-in', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"email":"ada@example.org"}',
  });
  // The contract's error shape.
  const { error, field } = (await response.json()) as { error: string; field: string };
  const failure = new ApiError({ status: response.status, code: 'invalid_field', field }, error);
  assert.equal(placeErrors(failure, ['email', 'password']).at('password'), error);
});
