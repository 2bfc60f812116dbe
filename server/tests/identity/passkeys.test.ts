/** Passkeys without a browser: who may register them, and whose last one stays. Browser tests cover the rest with a browser's authenticator. */
import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { getState } from '@tapedeck/contract/accounts';
import * as contract from '@tapedeck/contract/passkeys';
import { getWaysIn } from '@tapedeck/contract/secondFactors';
import { arePasskeysPossible } from '@tapedeck/domain/identity/passkeys';
import { readConfig } from '../../src/config.ts';
import { makeClient } from '../support/client.ts';
import { addPerson, type Person, password } from '../support/people.ts';
import { startQuietService } from '../support/service.ts';

const service = await startQuietService();
after(() => service[Symbol.asyncDispose]());

async function addPasskey({ id: userId }: Person, id: string): Promise<void> {
  const store = await service.openStore();
  await store.write(({ passkeys }) =>
    passkeys.insert({
      id,
      userId,
      name: id,
      publicKey: 'key',
      counter: 0,
      transports: [],
      createdAt: service.clock.now(),
      lastUsedAt: null,
    }),
  );
}

test('registering requires the password, and guessing it is throttled', async () => {
  const person = await addPerson(service);
  const { options } = await person.call(contract.beginPasskey, { body: { password } });
  assert.equal(options.authenticatorSelection.userVerification, 'required');
  const wrong = { body: { password: 'wrong password' } };
  for (let tries = 0; tries < 5; tries += 1)
    assert.equal(await person.refuse(contract.beginPasskey, wrong), '401 sign_in_failed');
  assert.equal(await person.refuse(contract.beginPasskey, wrong), '429 sign_in_slowed');
});

test('only their user can remove passkeys, and the last sign-in method stays', async () => {
  const [person, other] = [await addPerson(service), await addPerson(service)];
  await addPasskey(person, 'one');
  await addPasskey(person, 'two');
  const remove = (passkey: string) => ({ params: { passkey } });
  assert.equal(await other.refuse(contract.removePasskey, remove('one')), '404 not_found');
  const store = await service.openStore();
  const user = (await store.read.users.find(person.id))!;
  await store.write(({ users }) => users.update({ ...user, passwordHash: '' }));
  await person.call(contract.removePasskey, remove('one'));
  assert.equal(await person.refuse(contract.removePasskey, remove('two')), '409 last_way_in');
  const { passkeys } = await person.call(getWaysIn);
  assert.deepEqual(
    passkeys.map(({ name }) => name),
    ['two'],
  );
});

test('a user has at most twenty passkeys', async () => {
  const person = await addPerson(service);
  for (let count = 0; count < 20; count += 1) await addPasskey(person, `key${count}`);
  assert.equal(await person.refuse(contract.beginPasskey, { body: { password } }), '400 invalid_field');
});

describe('whether browsers support passkeys at', () => {
  const rows: [string, boolean][] = [
    ['https://tape.example', true],
    ['http://localhost:8787', true],
    ['http://tape.localhost', true],
    ['http://tape.example', false],
    ['https://192.0.2.7', false],
    ['https://[2001:db8::7]', false],
  ];
  for (const [publicUrl, expected] of rows) {
    it(`${publicUrl}: ${expected}`, () => {
      const config = readConfig({ TAPEDECK_PUBLIC_URL: publicUrl });
      assert.equal(arePasskeysPossible({ address: { publicUrl: config.publicUrl ?? '' } }), expected);
    });
  }

  it('the sign-in page learns it', async () => {
    assert.equal((await makeClient(service).call(getState)).passkeys, true);
    await using insecure = await startQuietService({
      environment: { TAPEDECK_PUBLIC_URL: 'http://tape.example' },
    });
    assert.equal((await makeClient(insecure).call(getState)).passkeys, false);
  });
});
