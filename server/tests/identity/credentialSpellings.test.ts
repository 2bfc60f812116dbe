/** Tokens, cookies, cursors, ids and upload URLs work only in their exact spelling. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { getMe, listMySessions } from '@tapedeck/contract/accounts';
import { getFile, listFiles } from '@tapedeck/contract/files';
import { queryLogs } from '@tapedeck/contract/logs';
import { extendSession, reportSession } from '@tapedeck/contract/sdk';
import { makeClient, withCookie, withToken } from '../support/client.ts';
import { spellInHeaders, spellOtherwise } from '../support/otherSpellings.ts';
import { addPerson, addToken } from '../support/people.ts';
import { makeServer } from '../support/reporters.ts';
import { startQuietService } from '../support/service.ts';
import { formOf, makePicture, pathOf, sendForm } from '../support/uploading.ts';

const service = await startQuietService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const { token: media } = await addToken(owner);
const { token: logs } = await addToken(owner, { kind: 'logs' });
const { token: admin } = await addToken(owner, { kind: 'admin' });
const files = withToken(service, media);
const picture = await makePicture();
const route = '/api/v3/file';
for (let count = 0; count < 2; count += 1)
  assert.equal((await sendForm(service, formOf(picture), { route, token: media })).status, 200);
const entries = JSON.stringify([1, 2].map(number => ({ level: 'info', message: `entry ${number}` })));
const sent = await service.fetch('/api/v3/logs', {
  method: 'POST',
  headers: { authorization: logs, 'content-type': 'application/json' },
  body: entries,
});
assert.equal(sent.status, 200);

type Kind = {
  text: string;
  use(spelling: string): Promise<Response>;
  /** The response to every other spelling. */
  refusal: RegExp;
  /** Sent in a header, so without spaces at its ends and without characters that headers cannot hold. */
  isHeader: boolean;
};

async function presign(): Promise<string> {
  const presigned = await service.fetch('/api/v3/file/presigned-url', { headers: { authorization: media } });
  // Other tests check this response's shape.
  const { data } = (await presigned.json()) as { data: { presignedUrl: string } };
  return pathOf(data.presignedUrl);
}

const kinds: Record<string, () => Promise<Kind>> = {
  'an API token': async () => ({
    text: media,
    use: text => withToken(service, text).send(listFiles),
    refusal: /^401 /,
    isHeader: true,
  }),
  'an admin token': async () => ({
    text: admin,
    use: text => withToken(service, text).send(getMe),
    refusal: /^401 /,
    isHeader: true,
  }),
  'the password of Basic authentication': async () => ({
    text: btoa(`any:${media}`).replace(/=+$/, ''),
    use: async text =>
      service.fetch('/api/v3/file', { method: 'PUT', headers: { authorization: `Basic ${text}` }, body: '' }),
    refusal: /^401 /,
    isHeader: true,
  }),
  'a session cookie': async () => ({
    text: owner.cookie,
    use: text => withCookie(service, text).send(listMySessions),
    refusal: /^401 /,
    isHeader: true,
  }),
  'the token of a reporting session': async () => {
    const answer = await withToken(service, logs).call(reportSession, { query: makeServer() });
    const use = (text: string) => withToken(service, text).send(extendSession);
    return { text: answer.token, use, refusal: /^401 /, isHeader: true };
  },
  'a cursor of files': async () => {
    const { pagination } = await files.call(listFiles, { query: { limit: 1 } });
    const use = (cursor: string) => files.send(listFiles, { query: { limit: 1, cursor } });
    return { text: pagination.nextCursor!, use, refusal: /^400 cursor_invalid$/, isHeader: false };
  },
  'a cursor of logs': async () => {
    const client = withToken(service, logs);
    const { pagination } = await client.call(queryLogs, { query: { limit: 1 } });
    const use = (cursor: string) => client.send(queryLogs, { query: { limit: 1, cursor } });
    return { text: pagination.nextCursor!, use, refusal: /^400 /, isHeader: false };
  },
  'the id of a file': async () => {
    const { data } = await files.call(listFiles, { query: { limit: 1 } });
    const use = (file: string) => files.send(getFile, { params: { file } });
    return { text: data[0]!.id, use, refusal: /^(?:404|400) /, isHeader: false };
  },
};

const statusOf = async (response: Response): Promise<string> => {
  const answer = (await response.json().catch(() => ({}))) as { code?: string };
  return `${response.status} ${answer.code ?? ''}`.trim();
};

for (const [kind, prepare] of Object.entries(kinds)) {
  it(`${kind} is rejected in any other spelling`, async () => {
    const { text, use, refusal, isHeader } = await prepare();
    const spellings = isHeader ? spellInHeaders(text) : spellOtherwise(text);
    for (const [name, spelling] of spellings)
      assert.match(await statusOf(await use(spelling)), refusal, name);
    assert.doesNotMatch(await statusOf(await use(text)), /^(?:401|404) /, 'and accepted in its own');
  });
}

describe('an upload URL', () => {
  const upload = (at: string) => sendForm(service, formOf(picture), { route: at, token: '' });
  /** Respells each part of the token, and the whole token. */
  const respell = (at: string): [string, string][] => {
    const [token = ''] = /[\w-]+\.[\w-]+\.[\w-]+/.exec(at) ?? [];
    const parts = token.split('.');
    assert.equal(parts.length, 3, at);
    return parts.flatMap((part, index) =>
      spellOtherwise(part).map(([name, spelling]): [string, string] => {
        const changed = parts.with(index, encodeURIComponent(spelling)).join('.');
        return [`part ${index} ${name}`, at.replace(token, changed)];
      }),
    );
  };
  it('is rejected in any other spelling, before and after its use', async () => {
    const at = await presign();
    const refuseAll = async () => {
      for (const [name, changed] of respell(at))
        assert.match(await statusOf(await upload(changed)), /^(?:401|404|400|414) /, name);
    };
    await refuseAll();
    assert.equal((await upload(at)).status, 200);
    assert.equal(await statusOf(await upload(at)), '409 presigned_used');
    await refuseAll();
    // A URL-escaped letter is the same letter, so this uses up the URL.
    const escaped = at.replace(
      /\.([A-Za-z])/,
      (_, letter: string) => `.%${letter.charCodeAt(0).toString(16)}`,
    );
    assert.notEqual(escaped, at);
    assert.equal(await statusOf(await upload(escaped)), '409 presigned_used');
  });
});

it('part of a cookie signs nobody in', async () => {
  for (const cookie of [`${owner.cookie}.x`, `${owner.cookie} x`, `x${owner.cookie}`, `"${owner.cookie}"`])
    assert.match(await makeClient(service, { cookie: `tapedeck_session=${cookie}` }).refuse(getMe), /^401 /);
});
