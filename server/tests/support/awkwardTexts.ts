/** Sends awkward texts of every kind to every endpoint that takes a text, and reads them back. */
import assert from 'node:assert/strict';
import { listProjectAudit } from '@tapedeck/contract/audit';
import { updateDataset } from '@tapedeck/contract/datasets';
import * as logViews from '@tapedeck/contract/logViews';
import { listProjectFiles } from '@tapedeck/contract/projectFiles';
import * as projects from '@tapedeck/contract/projects';
import type { ResponseOf } from '@tapedeck/contract/route';
import * as sdk from '@tapedeck/contract/sdk';
import * as tokens from '@tapedeck/contract/tokens';
import * as users from '@tapedeck/contract/users';
import fc from 'fast-check';
import { type Client, withCookie, withToken } from './client.ts';
import { addPerson, addToken, type Person } from './people.ts';
import type { TestService } from './service.ts';
import { formOf, makePicture, sendForm } from './uploading.ts';

const marks = '\u061c\u200e\u200f\u202a\u202e\u2066\u2069';
const chosen: readonly string[] = [
  'line\u2028separator',
  'paragraph\u2029separator',
  'next\u0085line',
  '\u2028',
  'feed\nreturn\rboth\r\n',
  '{"table":"users"}\n{"table":"users","row":{}}',
  'null\0byte',
  '\0',
  'half \ud83c of a pair',
  '\udfae',
  '\ud83c\u2028\udfae',
  marks,
  `${marks}abc${marks}`,
  'שלום \u202e txt.exe',
  '👩‍👩‍👧‍👦🏳️‍🌈',
  'e\u0301 é \u212b',
  '\ufeffbyte order mark',
  '\ufffe\uffff\u{1ffff}\u{10ffff}',
  '\v\f\u001c\u001d\u001e\u001f\u007f\u0080\u009f',
  '\u00a0\u1680\u3000',
  '\\u2028 \\n \\0 \\',
  "\"'`$1 %s {p0:String} '); --",
  '\\N',
  '\\.',
  'NULL',
  'constructor',
  '__proto__',
  'x'.repeat(5_000),
  '\u2028'.repeat(200),
  '🎮'.repeat(50),
];

/** Put the seed into the failure message. */
export function sampleTexts(seed: number, count: number): string[] {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.string({ unit: fc.constantFrom('\u2028', '\u2029', '\u0085', '\n', '\r', '\0', 'a', '"', '\\') }),
    // Any UTF-16 code units, including lone surrogates.
    fc.array(fc.nat(0xffff), { maxLength: 30 }).map(units => String.fromCharCode(...units)),
  );
  return [...chosen, ...fc.sample(text, { seed, numRuns: count })];
}

type Filling = { service: TestService; owner: Person; text: string; number: number };

/** Every endpoint that takes a text; each returns its response. */
const ways: Readonly<Record<string, (filling: Filling) => Promise<Response>>> = {
  project: ({ owner, text, number }) =>
    owner.send(projects.createProject, { body: { name: text, slug: `p${number}` } }),
  folderRule: ({ owner, text }) =>
    owner.send(projects.updateProject, {
      params: { project: 'default' },
      body: { retention: { folders: [{ path: text, days: 3_000 }] } },
    }),
  user: async ({ service, owner, text, number }) => {
    const { id } = await addPerson(service, { email: `text${number}@example.org` });
    return owner.send(users.updateUser, { params: { user: id }, body: { name: text } });
  },
  token: ({ owner, text }) =>
    owner.send(tokens.createToken, { params: { project: 'default' }, body: { kind: 'media', name: text } }),
  scope: ({ owner, text }) =>
    owner.send(tokens.createToken, {
      params: { project: 'default' },
      body: { kind: 'media', scopes: [`path:${text}`] },
    }),
  view: ({ owner, text, number }) =>
    owner.send(logViews.createLogView, {
      params: { project: 'default' },
      body: { name: `${number}${text}`, query: text },
    }),
  session: async ({ service, owner, text, number }) =>
    withToken(service, (await addToken(owner)).token).send(sdk.reportSession, {
      query: { sdkType: 'server_a', endpoint: `${number}${text}`, resourceName: text },
    }),
  file: async ({ service, owner, text }) =>
    sendForm(
      service,
      formOf(await makePicture(), { filename: text, metadata: JSON.stringify({ [text]: text }) }),
      {
        token: (await addToken(owner)).token,
      },
    ),
  folder: async ({ service, owner, text }) =>
    sendForm(service, formOf(await makePicture(), { path: text }), { token: (await addToken(owner)).token }),
  entry: async ({ service, owner, text }) => {
    const { token } = await addToken(owner, { kind: 'logs' });
    const entry = {
      level: 'info',
      message: text,
      resource: text,
      parentId: text,
      metadata: { [text]: text },
    };
    return service.fetch('/api/v3/logs?dataset=texts', {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json' },
      body: JSON.stringify([entry]),
    });
  },
};

const refusals = [400, 413]; // 413 for a text that is too long

/** Sends each text to every endpoint. A refusal must explain itself in a sentence. */
export async function storeTexts(
  service: TestService,
  owner: Person,
  texts: readonly string[],
): Promise<void> {
  const taken = new Set<string>();
  for (const [number, text] of texts.entries()) {
    for (const [way, send] of Object.entries(ways)) {
      const response = await send({ service, owner, text, number });
      const answer = await response.text();
      const isTaken = response.status === 200;
      assert.ok(
        isTaken || refusals.includes(response.status),
        `${way} of ${JSON.stringify(text)}: ${response.status} ${answer}`,
      );
      if (isTaken) taken.add(way);
    }
  }
  await owner.call(updateDataset, {
    params: { project: 'default', dataset: '__proto__' },
    body: { retentionDays: 9 },
  });
  assert.deepEqual([...taken].toSorted(), Object.keys(ways).toSorted(), 'each path accepts some texts');
}

/** Returns everything the service shows of what it stored, except what changes when it is read. */
export async function readTexts(service: TestService, cookie: string): Promise<Record<string, unknown>> {
  const client = withCookie(service, cookie);
  const params = { project: 'default' };
  const { sessions } = await client.call(sdk.listSessions, { params });
  const { users: people } = await client.call(users.listUsers);
  const { tokens: made } = await client.call(tokens.listTokens, { params });
  const entries = await service.fetch('/api/manage/projects/default/logs/export?dataset=texts&order=asc', {
    headers: { cookie: `tapedeck_session=${cookie}` },
  });
  assert.equal(entries.status, 200);
  return {
    projects: await client.call(projects.listProjects),
    people,
    tokens: made.map(({ id, name, scopes }) => ({ id, name, scopes })),
    views: await client.call(logViews.listLogViews, { params }),
    sessions: sessions.map(({ id, endpoint, resourceName }) => ({ id, endpoint, resourceName })),
    files: (await readFiles(client)).map(({ url: _, originalUrl: __, ...file }) => file),
    audit: (await client.call(listProjectAudit, { params, query: { limit: 100 } })).entries,
    entries: await entries.text(),
  };
}

async function readFiles(client: Client) {
  const files = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: { limit: number; cursor?: string } = { limit: 100, ...(cursor !== '' && { cursor }) };
    const page: ResponseOf<typeof listProjectFiles> = await client.call(listProjectFiles, {
      params: { project: 'default' },
      query,
    });
    files.push(...page.data);
    cursor = page.pagination.nextCursor;
  }
  return files;
}
