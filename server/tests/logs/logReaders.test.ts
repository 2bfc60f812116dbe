/** Who may read logs over HTTP: only callers with a logs token that may read, and not by a token in the URL. */

import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { describeRefusal } from '../support/client.ts';
import { openLogClient } from '../support/logSender.ts';
import { addToken } from '../support/people.ts';
import { startQuietService } from '../support/service.ts';

const service = await startQuietService();
after(() => service[Symbol.asyncDispose]());
const { owner, token } = await openLogClient(service);

describe('no access', () => {
  const paths = [
    '',
    '/histogram',
    '/series',
    '/0190a0a0a0a070000000000000000000/children',
    '/facets?field=level',
    '/fields',
    '/values?field=level',
    '/tail',
    '/export',
    '/datasets',
    '/0190a0a0a0a070000000000000000000',
  ];
  for (const path of paths) {
    it(`without a logs token at ${path || '/'}`, async () => {
      const media = await addToken(owner, { kind: 'media' });
      const write = await addToken(owner, { kind: 'logs', scopes: ['write'] });
      const request = async (headers: Record<string, string>, query = '') =>
        describeRefusal(
          await service.fetch(`/api/v3/logs${path}${query && (path.includes('?') ? '&' : '?') + query}`, {
            headers,
          }),
        );
      assert.equal(await request({}), '401 token_missing');
      assert.equal(await request({ authorization: 'x'.repeat(32) }), '401 token_unknown');
      assert.equal(await request({ authorization: media.token }), '403 wrong_token_kind');
      assert.equal(await request({ authorization: write.token }), '403 scope_missing');
      assert.equal(await request({}, `apiKey=${token}`), '401 token_missing');
    });
  }
});
