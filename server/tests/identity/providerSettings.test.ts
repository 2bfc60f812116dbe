/** Settings of the sign-in provider: which belong together, and what they mean. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Environment, readConfig } from '../../src/config.ts';

const both = { TAPEDECK_OIDC_ISSUER: 'https://id.example', TAPEDECK_OIDC_CLIENT_ID: 'tape' };
const usual = {
  issuer: 'https://id.example',
  clientId: 'tape',
  clientSecret: null,
  name: 'your provider',
  scopes: 'openid email profile',
  newcomers: 'none',
};

describe('a provider follows its settings', () => {
  const rows: [string, Environment, unknown][] = [
    ['none without an issuer', {}, null],
    ['defaults for the rest', both, usual],
    [
      'a secret and a name',
      { ...both, TAPEDECK_OIDC_CLIENT_SECRET: 's', TAPEDECK_OIDC_NAME: 'Harbour' },
      { ...usual, clientSecret: 's', name: 'Harbour' },
    ],
    [
      'other scopes',
      { ...both, TAPEDECK_OIDC_SCOPES: 'identify openid email' },
      { ...usual, scopes: 'identify openid email' },
    ],
    ['anybody may join', { ...both, TAPEDECK_OIDC_CREATE: 'Any' }, { ...usual, newcomers: 'any' }],
    [
      'two domains may join',
      { ...both, TAPEDECK_OIDC_CREATE: 'A.example, b.example' },
      { ...usual, newcomers: ['a.example', 'b.example'] },
    ],
  ];
  for (const [name, environment, expected] of rows)
    it(name, () => assert.deepEqual(readConfig(environment).provider, expected));
});

describe('rejects contradictory settings, and says what to change', () => {
  const rows: [string, Environment, RegExp][] = [
    [
      'an id without an issuer',
      { TAPEDECK_OIDC_CLIENT_ID: 'tape' },
      /TAPEDECK_OIDC_CLIENT_ID needs TAPEDECK_OIDC_ISSUER/,
    ],
    [
      'an issuer without an id',
      { TAPEDECK_OIDC_ISSUER: 'https://id.example' },
      /TAPEDECK_OIDC_CLIENT_ID is required/,
    ],
    ['an issuer that is not a URL', { ...both, TAPEDECK_OIDC_ISSUER: 'id.example' }, /TAPEDECK_OIDC_ISSUER/],
    ['scopes without openid', { ...both, TAPEDECK_OIDC_SCOPES: 'email' }, /TAPEDECK_OIDC_SCOPES must hold/],
    [
      'a word next to domains',
      { ...both, TAPEDECK_OIDC_CREATE: 'any,b.example' },
      /TAPEDECK_OIDC_CREATE must be/,
    ],
  ];
  for (const [name, environment, sentence] of rows)
    it(name, () => assert.throws(() => readConfig(environment), sentence));
});
