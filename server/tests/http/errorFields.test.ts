/** An error about a single field names it in `field`, whichever check found it. */
import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { smallPng } from '@tapedeck/media-facts/samples';
import { addPerson, addToken, type Person } from '../support/people.ts';
import { startQuietService } from '../support/service.ts';

const service = await startQuietService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const { token: media } = await addToken(owner);
const { token: logs } = await addToken(owner, { kind: 'logs' });

type Sent = { method?: string; path: string; body?: unknown; token?: string; person?: Person };
type Refused = { error: string; code: string; field?: string; index?: number };

async function send({ method = 'POST', path, body, token, person }: Sent): Promise<Refused> {
  const isForm = body instanceof FormData;
  const response = await service.fetch(path, {
    method,
    headers: {
      ...(token !== undefined && { authorization: token }),
      ...(person && { cookie: `tapedeck_session=${person.cookie}` }),
      ...(!isForm && body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
  });
  assert.ok(response.status >= 400, `${path} returned ${response.status}`);
  return (await response.json()) as Refused;
}

function form(fields: Readonly<Record<string, string>>, part: string | null = 'file'): FormData {
  const made = new FormData();
  for (const [name, value] of Object.entries(fields)) made.append(name, value);
  if (part !== null) made.append(part, new Blob([new Uint8Array(smallPng)]), 'a.png');
  return made;
}

const base64 = smallPng.toString('base64');
const entry = { level: 'info', message: 'm' };
const past = '2001-01-01T00:00:00Z';
const manage = '/api/manage/projects/default';
const aboutLog = (item: object) => ({ path: '/api/v3/logs', token: logs, body: [entry, item] });
const aboutQuery = (search: string) => ({ method: 'GET', path: `/api/v3/logs${search}`, token: logs });
const aboutFile = (fields: Record<string, string>) => ({
  path: '/api/v3/file',
  token: media,
  body: form(fields),
});
const aboutFiles = (search: string) => ({ method: 'GET', path: `/api/v3/file${search}`, token: media });
const aboutBase64 = (more: object) => ({
  path: '/api/v3/file/base64',
  token: media,
  body: { base64, ...more },
});
const aboutSession = (search: string) => ({ path: `/api/sdk/report${search}`, token: logs });

const rows: readonly [Sent, string, string][] = [
  [aboutLog({ ...entry, message: 5 }), 'invalid_field', 'message'],
  [aboutLog({ ...entry, level: 'loud' }), 'invalid_field', 'level'],
  [aboutLog({ ...entry, resource: {} }), 'invalid_field', 'resource'],
  [aboutLog({ ...entry, parentId: 1 }), 'invalid_field', 'parentId'],
  [aboutLog({ ...entry, timestamp: 'soon' }), 'invalid_field', 'timestamp'],
  [aboutLog({ ...entry, timestamp: 9e14 }), 'invalid_field', 'timestamp'],
  [aboutLog({ ...entry, metadata: 'x' }), 'invalid_field', 'metadata'],
  [aboutLog({ ...entry, metadata: { a: { b: 'x'.repeat(20_000) } } }), 'invalid_field', 'metadata.a.b'],
  [{ ...aboutLog(entry), path: '/api/v3/logs?dataset=no%20good' }, 'invalid_field', 'dataset'],
  [aboutQuery('?limit=0'), 'invalid_field', 'limit'],
  [aboutQuery('?offset=x'), 'invalid_field', 'offset'],
  [aboutQuery('?level=loud'), 'invalid_field', 'level'],
  [aboutQuery('?query=x:'), 'query_invalid', 'query'],
  [aboutQuery('?from=soon'), 'invalid_field', 'from'],
  [aboutQuery('?to=soon'), 'invalid_field', 'to'],
  [aboutQuery('?order=up'), 'invalid_field', 'order'],
  [aboutQuery('?dataset=no%20good'), 'invalid_field', 'dataset'],
  [aboutQuery('?includeTotal=maybe'), 'invalid_field', 'includeTotal'],
  [aboutQuery('?cursor=mine'), 'cursor_invalid', 'cursor'],
  [
    aboutQuery(`?body=${Array.from({ length: 70 }, (_, word) => `w${word}`).join('+')}`),
    'invalid_field',
    'body',
  ],
  [aboutQuery('/histogram?interval=long'), 'invalid_field', 'interval'],
  [aboutQuery('/histogram?buckets=0'), 'invalid_field', 'buckets'],
  [aboutQuery('/series?by=body'), 'invalid_field', 'by'],
  [aboutQuery('/series?stat=mean'), 'invalid_field', 'stat'],
  [aboutQuery('/series?stat=sum'), 'invalid_field', 'field'],
  [aboutQuery('/series?top=0'), 'invalid_field', 'top'],
  [aboutQuery('/values'), 'invalid_field', 'field'],
  [aboutQuery('/values?field=body'), 'invalid_field', 'field'],
  [aboutQuery('/values?field=level&limit=0'), 'invalid_field', 'limit'],
  [aboutQuery('/fields?level=loud'), 'invalid_field', 'level'],
  [aboutQuery('/facets?field=body'), 'invalid_field', 'field'],
  [aboutQuery('/facets'), 'invalid_field', 'field'],
  [aboutQuery('/export?format=pdf'), 'invalid_field', 'format'],
  [aboutFile({ metadata: '{' }), 'metadata_invalid', 'metadata'],
  [aboutFile({ metadata: '[]' }), 'metadata_invalid', 'metadata'],
  [aboutFile({ path: '../up' }), 'path_invalid', 'path'],
  [aboutFile({ path: '%c0%ae' }), 'path_invalid', 'path'],
  [aboutFile({ retentionExempt: 'maybe' }), 'invalid_field', 'retentionExempt'],
  [aboutFile({ filename: 'x'.repeat(5000) }), 'invalid_field', 'filename'],
  [{ ...aboutFile({}), body: form({ path: 'a' }, null) }, 'file_missing', 'file'],
  [aboutBase64({ base64: '%' }), 'base64_invalid', 'base64'],
  [aboutBase64({ base64: 5 }), 'invalid_field', 'base64'],
  [aboutBase64({ base64: undefined }), 'file_missing', 'base64'],
  [aboutBase64({ filename: 5 }), 'invalid_field', 'filename'],
  [aboutBase64({ metadata: 5 }), 'invalid_field', 'metadata'],
  [aboutFiles('?page=0'), 'invalid_field', 'page'],
  [aboutFiles('?limit=x'), 'invalid_field', 'limit'],
  [aboutFiles('?type=text'), 'invalid_field', 'type'],
  [aboutFiles('?path=..'), 'path_invalid', 'path'],
  [aboutFiles('?cursor=mine'), 'cursor_invalid', 'cursor'],
  [aboutFiles('/presigned-url?expiresAt=1'), 'invalid_field', 'expiresAt'],
  [aboutFiles('/presigned-url?uses=1001'), 'invalid_field', 'uses'],
  [aboutSession(''), 'invalid_field', 'sdkType'],
  [aboutSession('?sdkType=server_a&resourceName=r'), 'invalid_field', 'endpoint'],
  [aboutSession('?sdkType=server_b&universeId=1'), 'invalid_field', 'jobId'],
  [
    { path: `${manage}/tokens`, person: owner, body: { kind: 'logs', name: 'n', scopes: ['fly'] } },
    'invalid_field',
    'scopes',
  ],
  [
    { path: `${manage}/tokens`, person: owner, body: { kind: 'logs', name: 'n', expiresAt: past } },
    'invalid_field',
    'expiresAt',
  ],
  [
    { path: `${manage}/tokens`, person: owner, body: { kind: 'logs', name: 'n', expiresAt: 'x' } },
    'invalid_field',
    'expiresAt',
  ],
  [
    {
      path: `${manage}/tokens`,
      person: owner,
      body: { kind: 'media', name: 'n', scopes: ['path:a/../b'] },
    },
    'path_invalid',
    'scopes',
  ],
  [
    { path: `${manage}/members`, person: owner, body: { email: 'nobody@example.org', role: 'viewer' } },
    'not_found',
    'email',
  ],
  [
    {
      method: 'PATCH',
      path: manage,
      person: owner,
      body: { retention: { folders: [{ path: 'a', days: -1 }] } },
    },
    'invalid_field',
    'retention.folders.0.days',
  ],
  [
    { method: 'PATCH', path: manage, person: owner, body: { cdnEnabled: true } },
    'invalid_field',
    'cdnEnabled',
  ],
  [
    { path: '/api/manage/projects', person: owner, body: { name: 'Other', slug: 'default' } },
    'name_taken',
    'slug',
  ],
  [{ path: '/api/manage/projects', person: owner, body: { name: '???' } }, 'invalid_field', 'slug'],
  [
    { path: '/api/manage/users', person: owner, body: { email: 'x', password: 'long enough' } },
    'invalid_field',
    'email',
  ],
  // a lone surrogate
  [aboutLog({ ...entry, message: 'a\ud83d' }), 'invalid_field', 'message'],
  [aboutLog({ ...entry, metadata: { a: '\udc00' } }), 'invalid_field', 'metadata.a'],
  [{ path: '/api/v3/logs/chat', token: logs, body: { content: 'cut \ud83d' } }, 'invalid_field', 'content'],
  [
    { path: '/api/v3/logs/chat', token: logs, body: { embeds: [{ fields: [{ name: '\udc00' }] }] } },
    'invalid_field',
    'embeds.0.fields.0.name',
  ],
  [aboutBase64({ filename: '\ud83d.png' }), 'invalid_field', 'filename'],
  [aboutBase64({ metadata: { a: '\ud83d' } }), 'metadata_invalid', 'metadata'],
  [aboutBase64({ path: '\ud83d' }), 'path_invalid', 'path'],
  [{ path: '/api/manage/projects', person: owner, body: { name: 'P\ud83d' } }, 'invalid_field', 'name'],
  [{ path: '/api/manage/projects', person: owner, body: { name: 'P\0' } }, 'invalid_field', 'name'],
];

for (const [sent, code, field] of rows) {
  const { method = 'POST', path, body } = sent;
  const shown = body instanceof FormData ? 'a form' : (JSON.stringify(body) ?? '').slice(0, 80);
  it(`${method} ${path.slice(0, 80)} ${shown}: ${field}`, async () => {
    const refused = await send(sent);
    assert.deepEqual({ code: refused.code, field: refused.field }, { code, field });
  });
}

it('also gives the index of an entry in a batch', async () => {
  const refused = await send(aboutLog({ ...entry, message: 5 }));
  assert.equal(refused.index, 1);
});

it('an error that concerns no single field names none', async () => {
  for (const sent of [
    aboutQuery('?cursor=a&offset=1'),
    { ...aboutLog({}), body: {} },
    { path: '/api/nowhere' },
  ])
    assert.ok(!('field' in (await send(sent))));
});

const sentences: readonly [title: string, Sent, RegExp][] = [
  [
    'an address',
    { path: `${manage}/invitations`, person: owner, body: { role: 'viewer', email: 'x' } },
    /email must be an email address, as in name@example\.org\.$/,
  ],
  [
    'a minimum',
    { path: `${manage}/invitations`, person: owner, body: { role: 'viewer', expiresIn: 5 } },
    /expiresIn must be at least 3600\.$/,
  ],
  [
    'one of several words',
    { path: `${manage}/invitations`, person: owner, body: { role: 'boss' } },
    /role must be one of owner, admin, member, viewer\.$/,
  ],
  [
    'a slug',
    { path: '/api/manage/projects', person: owner, body: { name: 'A', slug: 'A b' } },
    /slug must be 1 to 32 lower-case letters/,
  ],
  [
    'an empty list',
    { path: `${manage}/files/matches`, person: owner, body: { files: [] } },
    /files must not be empty\.$/,
  ],
  [
    'a text that is too long',
    { path: '/api/manage/projects', person: owner, body: { name: 'A'.repeat(1000) } },
    /name must have at most \d+ characters\.$/,
  ],
  [
    'a number',
    { path: `${manage}/invitations`, person: owner, body: { role: 'viewer', expiresIn: 'soon' } },
    /expiresIn must be a whole number\.$/,
  ],
  [
    'a word of a query',
    { method: 'GET', path: '/readyz?role=all' },
    /role must be one of intake, query, media\.$/,
  ],
];
for (const [title, sent, sentence] of sentences) {
  it(`states what is expected: ${title}`, async () => assert.match((await send(sent)).error, sentence));
}
