/** An admin token cannot create anything more powerful than itself: tokens, roles or quotas. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { listProjectAudit } from '@tapedeck/contract/audit';
import { deleteDataset, updateDataset } from '@tapedeck/contract/datasets';
import { createLogView, deleteLogView } from '@tapedeck/contract/logViews';
import { getProject, updateProject } from '@tapedeck/contract/projects';
import { createToken, describeToken, listTokens, revokeToken } from '@tapedeck/contract/tokens';
import { addMember, listMembers, removeMember, setMemberRole } from '@tapedeck/contract/users';
import type { Role, TokenKind } from '@tapedeck/domain/vocabulary';
import { newId } from '@tapedeck/values/random-ids';
import { type Client, withToken } from '../support/client.ts';
import { addPerson, addProject, addToken } from '../support/people.ts';
import { startQuietService } from '../support/service.ts';

const service = await startQuietService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const project = await addProject(owner, 'game');
const params = { project };

const addMaker = async (scopes: string[]): Promise<Client & { id: string }> => {
  const { token, id } = await addToken(owner, { kind: 'admin', project, scopes });
  return { ...withToken(service, token), id };
};

const projectOwner = await addPerson(service, { roles: { game: 'owner' } });
const projectAdmin = await addPerson(service, { roles: { game: 'admin' } });

const makers: Readonly<Record<string, Client>> = {
  all: await addMaker([]),
  'read write delete': await addMaker(['read', 'write', 'delete']),
  'read write': await addMaker(['read', 'write']),
  write: await addMaker(['write']),
  'write delete': await addMaker(['write', 'delete']),
  delete: await addMaker(['delete']),
  read: await addMaker(['read']),
};
const everything = ['all', 'read write delete'];
const readers = [...everything, 'read write'];
const writers = [...readers, 'write', 'write delete'];
const deleters = [...everything, 'write delete', 'delete'];

async function outcome(response: Response): Promise<string> {
  if (response.status === 200) return '200';
  // Every refusal has a code.
  const { code } = (await response.json()) as { code: string };
  return `${response.status} ${code}`;
}

type Row = { makes: string; allowed: readonly string[]; send(maker: Client): Promise<Response> };

const mint =
  (kind: TokenKind, ...scopes: string[]): Row['send'] =>
  maker =>
    maker.send(createToken, { params, body: { kind, scopes } });

const move =
  (from: Role, to: Role): Row['send'] =>
  async maker => {
    const { id } = await addPerson(service, { roles: { game: from } });
    return maker.send(setMemberRole, { params: { project, user: id }, body: { role: to } });
  };

const add =
  (role: Role): Row['send'] =>
  async maker => {
    const { email } = await addPerson(service);
    return maker.send(addMember, { params, body: { email, role } });
  };

const kinds = ['media', 'logs', 'admin'] as const;
const rows: Row[] = [
  ...kinds.flatMap((kind): Row[] => [
    { makes: `a ${kind} token for everything`, allowed: everything, send: mint(kind) },
    {
      makes: `a ${kind} token for each word`,
      allowed: everything,
      send: mint(kind, 'read', 'write', 'delete'),
    },
    { makes: `a ${kind} token that reads and writes`, allowed: readers, send: mint(kind, 'read', 'write') },
    { makes: `a ${kind} token that writes`, allowed: writers, send: mint(kind, 'write') },
    { makes: `a ${kind} token that reads`, allowed: readers, send: mint(kind, 'read') },
  ]),
  {
    makes: 'a media token for pictures, with every action',
    allowed: everything,
    send: mint('media', 'type:image'),
  },
  {
    makes: 'a media token that writes pictures',
    allowed: writers,
    send: mint('media', 'write', 'type:image'),
  },
  {
    makes: 'a logs token for a dataset, with every action',
    allowed: everything,
    send: mint('logs', 'dataset:game'),
  },
  {
    makes: 'a logs token that writes a dataset',
    allowed: writers,
    send: mint('logs', 'write', 'dataset:game'),
  },
  { makes: 'a user as viewer', allowed: readers, send: add('viewer') },
  { makes: 'a user as member', allowed: everything, send: add('member') },
  { makes: 'a user as admin', allowed: everything, send: add('admin') },
  { makes: 'an admin of a viewer', allowed: everything, send: move('viewer', 'admin') },
  { makes: 'a member of a viewer', allowed: everything, send: move('viewer', 'member') },
  { makes: 'an admin of a member', allowed: everything, send: move('member', 'admin') },
  { makes: 'a viewer of an admin', allowed: writers, send: move('admin', 'viewer') },
  { makes: 'an admin of an admin', allowed: writers, send: move('admin', 'admin') },
  {
    makes: 'no member of an admin',
    allowed: deleters,
    send: async maker => {
      const { id } = await addPerson(service, { roles: { game: 'admin' } });
      return maker.send(removeMember, { params: { project, user: id } });
    },
  },
  {
    makes: 'an end of a token for everything',
    allowed: deleters,
    send: async maker => {
      const { id } = await addToken(owner, { kind: 'admin', project });
      return maker.send(revokeToken, { params: { project, token: id } });
    },
  },
  {
    makes: 'a saved view',
    allowed: writers,
    send: maker => maker.send(createLogView, { params, body: { name: newId(), query: '' } }),
  },
  {
    makes: 'an end of a saved view',
    allowed: deleters,
    send: async maker => {
      const { view } = await owner.call(createLogView, { params, body: { name: newId(), query: '' } });
      return maker.send(deleteLogView, { params: { project, view: view.id } });
    },
  },
  {
    makes: 'a retention of a dataset',
    allowed: writers,
    send: maker =>
      maker.send(updateDataset, { params: { project, dataset: 'chat' }, body: { retentionDays: 30 } }),
  },
  {
    makes: 'an end of a dataset',
    allowed: deleters,
    send: async maker => {
      const chat = { project, dataset: 'chat' };
      await owner.call(updateDataset, { params: chat, body: { retentionDays: 30 } });
      return maker.send(deleteDataset, { params: chat });
    },
  },
  {
    makes: 'a name of the project',
    allowed: writers,
    send: maker => maker.send(updateProject, { params, body: { name: 'Game' } }),
  },
];

for (const { makes, allowed, send } of rows) {
  describe(`creating ${makes}`, () => {
    for (const [scopes, maker] of Object.entries(makers)) {
      const expected = allowed.includes(scopes) ? '200' : '403 scope_missing';
      test(`with an admin token for ${scopes}: ${expected}`, async () => {
        assert.equal(await outcome(await send(maker)), expected);
      });
    }
  });
}

test('no admin token can make a user an owner or demote one', async () => {
  for (const maker of Object.values(makers)) {
    assert.match(await outcome(await move('admin', 'owner')(maker)), /^403 /);
    assert.match(await outcome(await move('owner', 'viewer')(maker)), /^403 /);
  }
  const { members } = await owner.call(listMembers, { params });
  const owners = members.filter(({ role }) => role === 'owner');
  assert.equal(owners.length, 1 + Object.keys(makers).length);
});

describe('a revocation', () => {
  test('includes all tokens that the token created, directly and indirectly, and no others', async () => {
    const root = await addMaker([]);
    const child = await addToken(root, { kind: 'admin', project });
    const grandchild = await addToken(withToken(service, child.token), { kind: 'media', project });
    const sibling = await addToken(owner, { kind: 'media', project });
    for (const { token } of [child, grandchild, sibling]) await withToken(service, token).call(describeToken);
    await owner.call(revokeToken, { params: { project, token: root.id } });
    for (const { token } of [child, grandchild])
      assert.equal(await withToken(service, token).refuse(describeToken), '401 token_revoked');
    await withToken(service, sibling.token).call(describeToken);
    const { tokens } = await owner.call(listTokens, { params });
    assert.deepEqual(
      tokens.filter(({ id }) => [root.id, child.id, grandchild.id].includes(id)),
      [],
    );
    const { entries } = await owner.call(listProjectAudit, { params });
    assert.deepEqual(
      [entries[0]?.action, entries[0]?.target, entries[0]?.details.minted],
      ['token.revoke', root.id, 2],
    );
  });

  test('of a created token leaves its maker', async () => {
    const root = await addMaker([]);
    const child = await addToken(root, { kind: 'media', project });
    await root.call(revokeToken, { params: { project, token: child.id } });
    await root.call(describeToken);
  });
});

describe('quotas', () => {
  const quotas = { bytesMax: 1_000_000, filesMax: 10 };
  const refused = '403 role_missing';
  const changers: [string, Client, string][] = [
    ['the owner of the project', projectOwner, refused],
    ['an admin of the project', projectAdmin, refused],
    ['an admin token', makers.all!, refused],
    ['an admin token with write scope', makers.write!, refused],
    ['an owner of the installation', owner, '200'],
  ];
  for (const [title, changer, expected] of changers) {
    for (const body of [
      { bytesMax: null },
      { filesMax: null },
      { bytesMax: 2_000_000 },
      { filesMax: 9 },
      { name: 'Game', ...quotas, filesMax: 11 },
    ]) {
      test(`${JSON.stringify(body)} by ${title}: ${expected}`, async () => {
        await owner.call(updateProject, { params, body: quotas });
        assert.equal(await outcome(await changer.send(updateProject, { params, body })), expected);
        const { project: now } = await owner.call(getProject, { params });
        const { bytesMax, filesMax } = expected === '200' ? { ...quotas, ...body } : quotas;
        assert.deepEqual({ bytesMax: now.bytesMax, filesMax: now.filesMax }, { bytesMax, filesMax });
      });
    }
    test(`unchanged, with a name, by ${title}: 200`, async () => {
      await owner.call(updateProject, { params, body: quotas });
      const body = { name: 'Game', ...quotas };
      assert.equal(await outcome(await changer.send(updateProject, { params, body })), '200');
    });
  }
});
