/** Bodies of settings: the service accepts the longest that the contract's fields allow, and refuses longer ones before it parses them. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { signIn } from '@tapedeck/contract/accounts';
import { createLogView } from '@tapedeck/contract/logViews';
import { updateProject } from '@tapedeck/contract/projects';
import type { Route } from '@tapedeck/contract/route';
import { createToken } from '@tapedeck/contract/tokens';
import { limits } from '@tapedeck/domain/vocabulary';
import { composePath, describeRefusal } from '../support/client.ts';
import { requireShortHolds } from '../support/eventLoop.ts';
import { fill, fillCounted, nest } from '../support/hostileBodies.ts';
import { addPerson } from '../support/people.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const headers = { 'content-type': 'application/json', cookie: `tapedeck_session=${owner.cookie}` };
const params = { project: 'default' };

function send(route: Route, body: string): Promise<Response> {
  return service.fetch(composePath(route, { params }), { method: route.method, headers, body });
}

/** Writes JSON like clients that escape every non-ASCII letter. */
function escapeLetters(value: unknown): string {
  const escapeUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replaceAll(/[^\0-\x7f]/g, escapeUnit);
}

describe('the longest body that the fields allow is accepted:', () => {
  const folder = `${'é'.repeat(250)}/`;
  const folders = Array.from({ length: limits.folderRulesMax }, (_, index) => ({
    path: `${folder}${index}`,
    days: limits.retentionDaysMax,
  }));
  const scopes = Array.from({ length: limits.tokenScopesMax }, (_, index) => `path:${folder}${index}`);
  const name = 'é'.repeat(limits.nameCharactersMax);
  const rows: [string, Route, unknown][] = [
    ['a token with all scopes', createToken, { kind: 'media', name, scopes }],
    ['a project with all folder rules', updateProject, { retention: { folders } }],
    ['a saved view', createLogView, { name, query: 'é'.repeat(limits.logViewCharactersMax) }],
  ];
  for (const [title, route, body] of rows) {
    it(title, async () => {
      const response = await send(route, escapeLetters(body));
      assert.equal(response.status, 200, await response.text());
    });
  }
});

describe('longer bodies are rejected, and none blocks the event loop:', () => {
  const routes: readonly Route[] = [signIn, createToken, updateProject, createLogView];
  for (const route of routes) {
    const bytesMax = route.bodyBytesMax ?? limits.jsonBodyBytesMax;
    const bodies: readonly [string, string][] = [
      ['brackets', nest(['{"x":', '}'], bytesMax)],
      ['empty objects', fill(['{"x":[', '{},', ']}'], bytesMax)],
      ['many keys', fillCounted(['{', '}'], index => `"k${index}":1`, bytesMax)],
      ['scopes', fill(['{"kind":"media","scopes":[', '{},', ']}'], bytesMax)],
      ['folders', fill(['{"retention":{"folders":[', '{},', ']}}'], bytesMax)],
    ];
    for (const [title, body] of bodies) {
      it(`${route.id}: ${title}, ${bytesMax} bytes`, () =>
        requireShortHolds(async () => {
          const response = await send(route, body);
          assert.ok([200, 400].includes(response.status), `${response.status}: ${await response.text()}`);
        }));
    }
    it(`${route.id}: one byte more than ${bytesMax}`, async () => {
      assert.equal(await describeRefusal(await send(route, ' '.repeat(bytesMax + 1))), '413 body_too_large');
    });
  }
});
