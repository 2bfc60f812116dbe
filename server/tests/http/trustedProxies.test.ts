/** Which proxies the service trusts for a client's address: in the list of sessions, and when it slows sign-ins. */
import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { listMySessions, signIn } from '@tapedeck/contract/accounts';
import { makeClient, withCookie } from '../support/client.ts';
import { addPerson, password } from '../support/people.ts';
import { startQuietService, type TestService } from '../support/service.ts';

/** The tests come from 127.0.0.1. */
const self = '127.0.0.1';
const client = '198.51.100.7';

type Row = [title: string, forwarded: string | null, address: string];
const settings: [trusted: string | null, rows: Row[]][] = [
  [
    null,
    [
      ['nothing is forwarded', null, self],
      ['a local proxy names its client', client, client],
      ['ignores what the client itself claims', `203.0.113.1, ${client}`, client],
      ['an address with a port', `${client}:4711`, client],
      ['an IPv6 address in long form', '2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
      ['an IPv6 address with a port', '[2001:db8::1]:443', '2001:db8::1'],
      ['an IPv4 address as IPv6', `::ffff:${client}`, client],
      ['a word that is not an address', 'unknown', self],
      ['an empty item of a list', ',', self],
      ['a list of another machine and this one', `${client}, 127.0.0.9, ::1`, client],
      ['only trusted addresses', '127.0.0.7, ::1', '127.0.0.7'],
      ['a very long list', `${'203.0.113.1, '.repeat(500)}${client}`, client],
    ],
  ],
  [
    'loopback,10.0.0.0/8,2001:db8:1::/48',
    [
      ['one more proxy in a network', `${client}, 10.1.2.3`, client],
      ['proxies of both kinds', `${client}, 10.1.2.3, 2001:db8:1:9::1, ::ffff:10.9.9.9`, client],
      ['an untrusted proxy between trusted ones', `203.0.113.1, 10.0.0.1, ${client}, 10.1.2.3`, client],
      ['a word that is not an address after a proxy', 'unknown, 10.1.2.3', '10.1.2.3'],
      ['a neighbour of the network', `203.0.113.1, 2001:db8:2::1`, '2001:db8:2::1'],
    ],
  ],
  [
    '10.0.0.0/8',
    [
      ['ignores an unlisted proxy', client, self],
      ['ignores it even if it claims a trusted one', `${client}, 10.0.0.1`, self],
    ],
  ],
  [
    '::ffff:127.0.0.0/104,::ffff:10.0.0.0/8,::/0',
    [
      ['an IPv4 network written as IPv6', `203.0.113.1, ${client}`, client],
      ['an IPv6 network contains no IPv4', `${client}, 10.0.0.1`, '10.0.0.1'],
      ['but all of its own', `${client}, 2001:db8::1`, client],
    ],
  ],
  ['none', [['trusts nobody', client, self]]],
];

for (const [trusted, rows] of settings) {
  describe(trusted === null ? 'by default' : `with TRUSTED_PROXIES=${trusted}`, async () => {
    const environment = trusted === null ? {} : { TAPEDECK_TRUSTED_PROXIES: trusted };
    const service = await startQuietService({ environment });
    after(() => service[Symbol.asyncDispose]());
    for (const [title, forwarded, address] of rows) {
      it(`${title}: ${address}`, async () => {
        assert.equal(await findOwnAddress(service, forwarded), address);
      });
    }
  });
}

test('forged addresses from an untrusted client allow no extra guesses', async () => {
  await using service = await startQuietService({ environment: { TAPEDECK_TRUSTED_PROXIES: '10.0.0.1' } });
  const statuses: number[] = [];
  for (let index = 0; index < 21; index++) {
    const headers = { 'x-forwarded-for': `203.0.113.${index}` };
    const body = { email: `nobody${index}@example.org`, password: 'wrong password' };
    statuses.push((await makeClient(service).send(signIn, { body, headers })).status);
  }
  assert.deepEqual([statuses[19], statuses[20]], [401, 429]);
});

async function findOwnAddress(service: TestService, forwarded: string | null): Promise<string | undefined> {
  const { email } = await addPerson(service);
  const headers: Record<string, string> = forwarded === null ? {} : { 'x-forwarded-for': forwarded };
  const response = await makeClient(service).send(signIn, { body: { email, password }, headers });
  assert.equal(response.status, 200);
  const cookie = /tapedeck_session=(\w+)/.exec(response.headers.get('set-cookie')!)![1]!;
  const { sessions } = await withCookie(service, cookie).call(listMySessions);
  return sessions.find(({ current }) => current)?.address;
}
