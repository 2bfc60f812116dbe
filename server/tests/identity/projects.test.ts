/** Projects: slugs, settings and deletion. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { listProjectAudit } from '@tapedeck/contract/audit';
import * as projects from '@tapedeck/contract/projects';
import type { BodyOf } from '@tapedeck/contract/route';
import { createToken, listTokens } from '@tapedeck/contract/tokens';
import { addMember, createUser, listMembers } from '@tapedeck/contract/users';
import { addPerson, addProject, password } from '../support/people.ts';
import { startQuietService } from '../support/service.ts';

const service = await startQuietService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });

test('the default project exists from the first start', async () => {
  const { project } = await owner.call(projects.getProject, { params: { project: 'default' } });
  assert.deepEqual(
    { ...project, createdAt: '' },
    {
      project: 'default',
      name: 'Default',
      role: 'owner',
      cdnDomain: null,
      cdnEnabled: false,
      retention: { image: null, video: null, audio: null, folders: [] },
      bytesMax: null,
      filesMax: null,
      trashDays: 30,
      visibility: { folders: [] },
      stripLocation: false,
      subjects: [],
      createdAt: '',
    },
  );
});

const slugs: [string, string][] = [
  ['My Game', 'my-game'],
  ['  Über  Spaß!  ', 'uber-spa'],
  ['a__b--c', 'a-b-c'],
  ['1', '1'],
  [`long ${'x'.repeat(60)}`, `long-${'x'.repeat(27)}`],
  ['Ends in a hyphen after the cut -', 'ends-in-a-hyphen-after-the-cut'],
];
for (const [name, slug] of slugs) {
  test(`the name ${name.slice(0, 40)} makes the slug ${slug}`, async () => {
    const { project } = await owner.call(projects.createProject, { body: { name } });
    assert.deepEqual([project.project, project.name], [slug, name]);
  });
}

const refusals: [string, object, string][] = [
  ['no name', {}, '400 invalid_field'],
  ['an empty name', { name: '' }, '400 invalid_field'],
  ['a name of 101 characters', { name: 'x'.repeat(101) }, '400 invalid_field'],
  ['a name that makes no slug', { name: '🎮' }, '400 invalid_field'],
  ['a name with NUL', { name: 'a\0b' }, '400 invalid_field'],
  ['a slug with capitals', { name: 'x', slug: 'Game' }, '400 invalid_field'],
  ['a slug with a slash', { name: 'x', slug: 'a/b' }, '400 invalid_field'],
  ['a slug of 33 characters', { name: 'x', slug: 'a'.repeat(33) }, '400 invalid_field'],
  ['a slug that is taken', { name: 'x', slug: 'default' }, '409 name_taken'],
];
for (const [name, body, expected] of refusals) {
  test(`rejects a project with ${name}`, async () => {
    // Wrong on purpose.
    assert.equal(await owner.refuse(projects.createProject, { body: body as { name: string } }), expected);
  });
}

test('settings change one by one; omitted ones stay', async () => {
  const project = await addProject(owner, 'settings');
  const set = async (body: BodyOf<typeof projects.updateProject>) =>
    (await owner.call(projects.updateProject, { params: { project }, body })).project;
  await set({ cdnDomain: 'CDN.Example.org', cdnEnabled: true });
  await set({ retention: { image: 30, folders: [{ path: 'clips', days: 7 }] } });
  await set({ retention: { video: 7 } });
  await set({ bytesMax: 1_000_000 });
  const after = await set({ name: 'New name' });
  assert.equal(after.name, 'New name');
  assert.deepEqual([after.cdnDomain, after.cdnEnabled], ['cdn.example.org', true]);
  assert.deepEqual(after.retention, {
    image: 30,
    video: 7,
    audio: null,
    folders: [{ path: 'clips', days: 7 }],
  });
  assert.deepEqual([after.bytesMax, after.filesMax], [1_000_000, null]);
  const cleared = await set({
    retention: { image: null, folders: [] },
    cdnEnabled: false,
    cdnDomain: null,
    bytesMax: null,
  });
  assert.deepEqual(cleared.retention, { image: null, video: 7, audio: null, folders: [] });
  assert.deepEqual([cleared.cdnDomain, cleared.cdnEnabled, cleared.bytesMax], [null, false, null]);
});

const wrongChanges: [string, object, string][] = [
  ['a CDN domain that is a URL', { cdnDomain: 'https://cdn.example.org' }, '400 invalid_field'],
  ['a CDN domain with a path', { cdnDomain: 'cdn.example.org/x' }, '400 invalid_field'],
  ['an empty CDN domain', { cdnDomain: '' }, '400 invalid_field'],
  ['a CDN without a domain', { cdnEnabled: true }, '400 invalid_field'],
  ['retention of zero days', { retention: { image: 0 } }, '400 invalid_field'],
  ['retention of half a day', { retention: { image: 0.5 } }, '400 invalid_field'],
  ['retention as text', { retention: { image: '30' } }, '400 invalid_field'],
  ['retention of more than a century', { retention: { image: 36_501 } }, '400 invalid_field'],
  ['a rule without a folder', { retention: { folders: [{ path: '', days: 1 }] } }, '400 invalid_field'],
  ['a negative quota', { bytesMax: -1 }, '400 invalid_field'],
  ['a quota out of range', { filesMax: 2 ** 53 }, '400 invalid_field'],
  ['a flag as text', { cdnEnabled: 'true' }, '400 invalid_field'],
  ['the domain of another project', { cdnDomain: 'taken.example.org' }, '409 name_taken'],
];
for (const [name, body, expected] of wrongChanges) {
  test(`rejects a change to ${name}`, async () => {
    const params = { project: 'default' };
    await owner.send(projects.createProject, { body: { name: 'taker' } });
    await owner.call(projects.updateProject, {
      params: { project: 'taker' },
      body: { cdnDomain: 'taken.example.org' },
    });
    // Wrong on purpose.
    assert.equal(
      await owner.refuse(projects.updateProject, { params, body: body as { name: string } }),
      expected,
    );
  });
}

test('a deleted project is gone, and its slug is never reused', async () => {
  const project = await addProject(owner, 'gone');
  const params = { project };
  const member = await addPerson(service, { roles: { gone: 'admin' } });
  await owner.call(projects.deleteProject, { params });
  for (const caller of [owner, member]) {
    for (const route of [projects.getProject, listTokens, listMembers, listProjectAudit]) {
      assert.equal(await caller.refuse(route, { params }), '404 not_found', route.id);
    }
    const { projects: listed } = await caller.call(projects.listProjects);
    assert.ok(listed.every(each => each.project !== project));
  }
  assert.equal(await owner.refuse(projects.deleteProject, { params }), '404 not_found');
  assert.equal(await owner.refuse(createToken, { params, body: { kind: 'media' } }), '404 not_found');
  const place = { params, body: { email: member.email, role: 'viewer' } } as const;
  assert.equal(await owner.refuse(addMember, place), '404 not_found');
  const user = { email: 'late@example.org', password, project, role: 'viewer' } as const;
  assert.equal(await owner.refuse(createUser, { body: user }), '404 not_found');
  assert.equal(await owner.refuse(projects.createProject, { body: { name: 'gone' } }), '409 name_taken');
});

test('the default project cannot be deleted', async () => {
  const params = { project: 'default' };
  assert.equal(await owner.refuse(projects.deleteProject, { params }), '409 default_project');
});

test('a domain is free again when its project is deleted', async () => {
  for (const slug of ['first', 'second']) {
    const params = { project: await addProject(owner, slug) };
    await owner.call(projects.updateProject, { params, body: { cdnDomain: 'shared.example.org' } });
    await owner.call(projects.deleteProject, { params });
  }
});

test('of two projects that concurrently request a domain, one gets it', async () => {
  const wishes = await Promise.all(
    ['wish-one', 'wish-two'].map(async slug => {
      const params = { project: await addProject(owner, slug) };
      return owner.send(projects.updateProject, { params, body: { cdnDomain: 'wished.example.org' } });
    }),
  );
  assert.deepEqual(wishes.map(({ status }) => status).sort(), [200, 409]);
});

test('names of object members are valid slugs', async () => {
  for (const slug of ['constructor', 'prototype', 'tostring']) {
    await addProject(owner, slug);
    const { project } = await owner.call(projects.getProject, { params: { project: slug } });
    assert.equal(project.project, slug);
  }
  assert.equal(
    await owner.refuse(projects.getProject, { params: { project: '__proto__' } }),
    '404 not_found',
  );
});
