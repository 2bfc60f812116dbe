/** An upload URL ends with its maker, even mid-upload: when the token ends, or the user leaves or loses the right to upload. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { createPresignedUrl, listFiles } from '@tapedeck/contract/files';
import { createProjectPresignedUrl } from '@tapedeck/contract/projectFiles';
import type { Route } from '@tapedeck/contract/route';
import { revokeToken } from '@tapedeck/contract/tokens';
import { deleteUser, removeMember, setMemberRole, updateUser } from '@tapedeck/contract/users';
import { writePresignedToken } from '@tapedeck/domain/files/presigned';
import { routes } from '../../src/http/routes.ts';
import { keepSecret } from '../../src/stores/dataDirectory/secretFile.ts';
import { composePath, describeRefusal, withToken } from '../support/client.ts';
import { addPerson, addProject, addToken, type Person } from '../support/people.ts';
import { compose, describeAnswer, talk } from '../support/rawHttp.ts';
import { makeDirectory, startQuietService, type TestService } from '../support/service.ts';
import { composeForm, makePicture, mediaToken, pathOf, sendForm } from '../support/uploading.ts';

const service = await startQuietService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const project = await addProject(owner, 'game');
const picture = await makePicture();
const ended = '410 presigned_expired';

type Ask = (service: TestService, credentials: Record<string, string>, query?: object) => Promise<string>;

const askBy =
  (route: Route, usual: object = {}): Ask =>
  async (to, headers, query = {}) => {
    const path = composePath(route, { params: { project }, query: { ...usual, ...query } });
    const response = await to.fetch(path, { method: route.method, headers });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return pathOf(/"presignedUrl":"([^"]+)"/.exec(text)![1]!);
  };

const askV3 = askBy(createPresignedUrl, { uses: 9 });
/** Older routes, unless the old versions have been removed. */
const olderRoutes = routes.filter(({ id }) => id === 'presignV1' || id === 'presignV2');
const waysOfTokens: Readonly<Record<string, Ask>> = {
  V3: askV3,
  ...Object.fromEntries(olderRoutes.map(route => [route.id, askBy(route, { fileType: 'image' })])),
};
const askInDashboard = askBy(createProjectPresignedUrl, { uses: 9 });

async function send(route: string, to = service): Promise<string> {
  const form = composeForm([['image', { bytes: picture, filename: 'a.png' }]]);
  const response = await sendForm(to, form, { route, token: '' });
  return response.status === 200 ? '200' : describeRefusal(response);
}

/** Begins an upload, runs `happen`, waits longer than the upload may take, and sends the rest. */
async function sendAround(route: string, happen: () => Promise<unknown>): Promise<string[]> {
  const head = '--b\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\n\r\n';
  const body = Buffer.concat([Buffer.from(head), picture, Buffer.from('\r\n--b--\r\n')]);
  const headers = { 'Content-Type': 'multipart/form-data; boundary=b', 'Content-Length': body.length };
  const cut = head.length + 20;
  const talking = talk(
    service.url,
    [compose(`POST ${route}`, headers), body.subarray(0, cut), 2_000, body.subarray(cut)],
    { answersMax: 1 },
  );
  await happen();
  return (await talking).answers.map(describeAnswer);
}

const countFiles = async () => {
  const reader = await addToken(owner, { project, scopes: ['read'] });
  return (await withToken(service, reader.token).call(listFiles, {})).pagination.total;
};

type End = { title: string; outcome: '200' | typeof ended; happen(): Promise<unknown> };
type Made = { credentials: Record<string, string>; ends: End[] };

const inSeconds = (seconds: number) => new Date(service.clock.now() + seconds * 1000).toISOString();

/** Makes a token, and lists all that may happen to it. */
async function addMaker(): Promise<Made> {
  const admin = await addToken(owner, { kind: 'admin', project });
  const lasting = await addToken(withToken(service, admin.token), { project });
  const revoke = (token: string) => owner.call(revokeToken, { params: { project, token } });
  return {
    credentials: { authorization: lasting.token },
    ends: [
      { title: 'is revoked', outcome: ended, happen: () => revoke(lasting.id) },
      { title: 'ends with the token that created it', outcome: ended, happen: () => revoke(admin.id) },
      { title: 'stays', outcome: '200', happen: async () => undefined },
    ],
  };
}

async function addPeople(): Promise<{ person: Person; ends: End[] }> {
  const person = await addPerson(service, { roles: { game: 'admin' } });
  const user = { project, user: person.id };
  const become = (role: 'viewer' | 'member') => owner.call(setMemberRole, { params: user, body: { role } });
  return {
    person,
    ends: [
      {
        title: 'is deleted',
        outcome: ended,
        happen: () => owner.call(deleteUser, { params: { user: person.id } }),
      },
      {
        title: 'leaves the project',
        outcome: ended,
        happen: () => owner.call(removeMember, { params: user }),
      },
      { title: 'becomes a viewer', outcome: ended, happen: () => become('viewer') },
      { title: 'becomes a member', outcome: '200', happen: () => become('member') },
    ],
  };
}

describe('the URL of a token', () => {
  for (const [way, presign] of Object.entries(waysOfTokens)) {
    for (const index of [0, 1, 2]) {
      test(`by ${way}, when the token ${['is revoked', 'loses its maker', 'stays'][index]}`, async () => {
        const { credentials, ends } = await addMaker();
        const route = await presign(service, credentials);
        const { happen, outcome } = ends[index]!;
        await happen();
        assert.equal(await send(route), outcome);
      });
    }
    test(`by ${way}, when the token expires, which the URL shows`, async () => {
      const { token } = await addToken(owner, { project, expiresAt: inSeconds(2.5) });
      const expiresAt = Math.floor(service.clock.now() / 1000) + 6 * 86_400;
      const route = await presign(service, { authorization: token }, { expiresAt });
      const payload = Buffer.from(route.split('.')[1]!, 'base64url').toString();
      // The payload of a JWT that this service made.
      const { exp } = JSON.parse(payload) as { exp: number };
      assert.ok(exp <= service.clock.now() / 1000 + 3.5, 'exp is no later than the second of the expiry');
      service.clock.advance(2_400);
      const other = await presign(service, { authorization: token });
      assert.equal(await send(other), '200');
      service.clock.advance(100);
      assert.equal(await send(route), ended);
    });
  }

  test('of the configuration ends when another replaces it, and works again with it', async () => {
    await using directory = await makeDirectory();
    const start = (token: string | null) =>
      startQuietService({
        dataDir: directory.path,
        environment: token === null ? {} : { TAPEDECK_MEDIA_TOKEN: token },
      });
    const first = await start(mediaToken);
    const route = await askV3(first, { authorization: mediaToken });
    assert.equal(await send(route, first), '200');
    await first[Symbol.asyncDispose]();
    for (const [token, outcome] of [
      [mediaToken, '200'],
      ['another-media-token-0123456789', ended],
      [null, ended],
      [mediaToken, '200'],
    ] as const) {
      await using next = await start(token);
      assert.equal(await send(route, next), outcome);
    }
  });

  test('of an earlier version, which does not name its maker, works until it expires', async () => {
    const { dataDir, clock } = service;
    const token = writePresignedToken(
      { secret: await keepSecret(dataDir), clock },
      {
        project,
        maker: null,
        expiresAt: clock.now() + 3_600_000,
        usesMax: 2,
        forgottenUntil: null,
        type: null,
        fieldName: null,
        path: '',
        bytesMax: null,
        metadata: {},
        isOwn: false,
      },
    );
    assert.equal(await send(`/api/v3/file/presigned-url/${token}`), '200');
  });
});

describe('the URL of a user', () => {
  for (const [index, title] of [
    'is deleted',
    'leaves the project',
    'becomes a viewer',
    'becomes a member',
  ].entries()) {
    test(`who ${title}`, async () => {
      const { person, ends } = await addPeople();
      const route = await askInDashboard(service, { cookie: `tapedeck_session=${person.cookie}` });
      assert.equal(await send(route), '200');
      const end = ends[index]!;
      assert.equal(end.title, title);
      await end.happen();
      assert.equal(await send(route), end.outcome);
    });
  }

  test('who is no longer an owner of the installation', async () => {
    const second = await addPerson(service, { isOwner: true });
    const route = await askInDashboard(service, { cookie: `tapedeck_session=${second.cookie}` });
    assert.equal(await send(route), '200');
    await owner.call(updateUser, { params: { user: second.id }, body: { isOwner: false } });
    assert.equal(await send(route), ended);
  });
});

describe('an upload in progress ends with the maker of its URL', { concurrency: true }, () => {
  const cases: [string, () => Promise<{ route: string; happen(): Promise<unknown> }>][] = [
    ...Object.entries(waysOfTokens).map(([way, presign]): (typeof cases)[number] => [
      `a token by ${way} that is revoked`,
      async () => {
        const { credentials, ends } = await addMaker();
        return { route: await presign(service, credentials), happen: ends[0]!.happen };
      },
    ]),
    ...[0, 1, 2].map((index): (typeof cases)[number] => [
      `a user who ${['is deleted', 'leaves', 'becomes a viewer'][index]}`,
      async () => {
        const { person, ends } = await addPeople();
        const route = await askInDashboard(service, { cookie: `tapedeck_session=${person.cookie}` });
        return { route, happen: ends[index]!.happen };
      },
    ]),
  ];
  for (const [title, arrange] of cases) {
    test(title, async () => {
      const { route, happen } = await arrange();
      assert.deepEqual(await sendAround(route, happen), [`${ended}`]);
    });
  }
});

test('an upload with a session ends when its sender leaves the project', async () => {
  const { person, ends } = await addPeople();
  const path = `/api/manage/projects/${project}/files`;
  const before = await countFiles();
  const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n';
  const body = Buffer.concat([Buffer.from(head), picture, Buffer.from('\r\n--b--\r\n')]);
  const talking = talk(
    service.url,
    [
      compose(`POST ${path}`, {
        Cookie: `tapedeck_session=${person.cookie}`,
        'Content-Type': 'multipart/form-data; boundary=b',
        'Content-Length': body.length,
      }),
      body.subarray(0, head.length + 20),
      2_000,
      body.subarray(head.length + 20),
    ],
    { answersMax: 1 },
  );
  await ends[1]!.happen();
  assert.deepEqual((await talking).answers.map(describeAnswer), ['404 not_found']);
  assert.equal(await countFiles(), before);
});
