/** Single-use tickets, invitations and codes work once, however they are spelled. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { finishSignIn, signIn } from '@tapedeck/contract/accounts';
import * as invitations from '@tapedeck/contract/invitations';
import * as passkeys from '@tapedeck/contract/passkeys';
import { beginLinking } from '@tapedeck/contract/providerSignIn';
import {
  beginSecondFactor,
  confirmSecondFactor,
  disableSecondFactor,
} from '@tapedeck/contract/secondFactors';
import { makeCode, stepAt } from '@tapedeck/values/one-time-codes';
import { makeAuthenticator } from '../support/authenticators.ts';
import { makeClient } from '../support/client.ts';
import { startClaimsProvider } from '../support/openIdProviders.ts';
import { spellInHeaders, spellOtherwise } from '../support/otherSpellings.ts';
import { addPerson, password } from '../support/people.ts';
import { begin, callback, comeBack, readBegun, startBeside } from '../support/providerVisits.ts';
import { startQuietService } from '../support/service.ts';

const origin = 'http://localhost:8787';
const service = await startQuietService({ environment: { TAPEDECK_PUBLIC_URL: origin } });
const provider = await startClaimsProvider();
const beside = await startBeside(provider);
after(async () => {
  await service[Symbol.asyncDispose]();
  await beside[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});
const visitor = makeClient(service);
const owner = await addPerson(service, { isOwner: true });
const place = { origin, host: 'localhost' };

/** How to use something that works once: returns `200`, or `410 ticket_expired`. */
type Once = { text: string; use(spelling: string): Promise<string>; refusal: RegExp };

const outcomeOf = async (response: Response) =>
  response.status === 200
    ? '200'
    : `${response.status} ${((await response.json()) as { code: string }).code}`;

async function addArmed() {
  const person = await addPerson(service);
  const { secret, ticket } = await person.call(beginSecondFactor, { body: { password } });
  const code = () => makeCode(secret, stepAt(service.clock.now()));
  const { recoveryCodes } = await person.call(confirmSecondFactor, { body: { ticket, code: code() } });
  service.clock.advance(30_000);
  return { person, code, recoveryCodes };
}

const ticketRefusal = /^(?:410 ticket_expired|400 invalid_field)$/; // a text with a zero byte is invalid
const kinds: Record<string, () => Promise<Once>> = {
  'a passkey sign-in': async () => {
    const person = await addPerson(service);
    const authenticator = makeAuthenticator(place);
    const begun = await person.call(passkeys.beginPasskey, { body: { password } });
    const credential = authenticator.register(begun.options.challenge);
    await person.call(passkeys.addPasskey, { body: { ticket: begun.ticket, name: 'one', credential } });
    const { ticket: text, options } = await visitor.call(passkeys.beginPasskeySignIn);
    const answer = authenticator.signIn(options.challenge);
    const use = async (ticket: string) =>
      outcomeOf(await visitor.send(passkeys.signInByPasskey, { body: { ticket, credential: answer } }));
    return { text, use, refusal: ticketRefusal };
  },
  'a passkey registration': async () => {
    const person = await addPerson(service);
    const { ticket: text, options } = await person.call(passkeys.beginPasskey, { body: { password } });
    const use = async (ticket: string) => {
      const credential = makeAuthenticator(place).register(options.challenge);
      return outcomeOf(await person.send(passkeys.addPasskey, { body: { ticket, name: 'one', credential } }));
    };
    return { text, use, refusal: ticketRefusal };
  },
  'a sign-in that awaits its code': async () => {
    const { person, recoveryCodes } = await addArmed();
    const body = { email: person.email, password };
    const { ticket: text } = (await (await visitor.send(signIn, { body })).json()) as { ticket: string };
    let uses = 0;
    const use = async (ticket: string) =>
      outcomeOf(await visitor.send(finishSignIn, { body: { ticket, code: recoveryCodes.at(uses++ % 10)! } }));
    return { text, use, refusal: ticketRefusal };
  },
  'a second factor that awaits its code': async () => {
    const person = await addPerson(service);
    const begun = await person.call(beginSecondFactor, { body: { password } });
    const code = () => makeCode(begun.secret, stepAt(service.clock.now()));
    const use = async (ticket: string) => {
      const response = await person.send(confirmSecondFactor, { body: { ticket, code: code() } });
      if (response.status !== 200) return outcomeOf(response);
      const { recoveryCodes } = (await response.json()) as { recoveryCodes: string[] };
      // Disabled again, so that only the ticket prevents a second use.
      await person.call(disableSecondFactor, { body: { password, code: recoveryCodes[0]! } });
      return '200';
    };
    return { text: begun.ticket, use, refusal: ticketRefusal };
  },
  'a recovery code': async () => {
    const { person, recoveryCodes } = await addArmed();
    const use = async (code: string) => {
      service.clock.advance(60 * 60_000); // wrong ones are rate-limited
      const body = { email: person.email, password };
      const { ticket } = (await (await visitor.send(signIn, { body })).json()) as { ticket: string };
      return outcomeOf(await visitor.send(finishSignIn, { body: { ticket, code } }));
    };
    return { text: recoveryCodes[0]!, use, refusal: /^40[01] / };
  },
  'an invitation': async () => {
    const params = { project: 'default' };
    const { secret } = await owner.call(invitations.createInvitation, { params, body: { role: 'viewer' } });
    let guests = 0;
    const use = async (text: string) => {
      service.clock.advance(60 * 60_000); // guesses are rate-limited
      const email = `guest${++guests}-${secret.slice(0, 6)}@example.org`.toLowerCase();
      const body = { secret: text, email, name: 'Guest', password };
      return outcomeOf(await visitor.send(invitations.joinByInvitation, { body }));
    };
    return { text: secret, use, refusal: /^(404 not_found|409 invitation_used|400 \w+)$/ };
  },
};

/** Typed by people, who may leave out dashes, add spaces, and use capitals. */
const isTyped = (kind: string) => kind === 'a recovery code' || kind === 'an invitation';

for (const [kind, prepare] of Object.entries(kinds)) {
  describe(kind, () => {
    if (!isTyped(kind)) {
      it('is rejected in any other spelling', async () => {
        const { text, use, refusal } = await prepare();
        for (const [name, spelling] of spellOtherwise(text)) assert.match(await use(spelling), refusal, name);
        assert.equal(await use(text), '200', 'and accepted in its own');
      });
    }
    it('stays used in any spelling', async () => {
      const { text, use, refusal } = await prepare();
      assert.equal(await use(text), '200');
      assert.match(await use(text), refusal);
      for (const [name, spelling] of spellOtherwise(text)) assert.match(await use(spelling), refusal, name);
    });
  });
}

describe('a provider sign-in', () => {
  /** This provider repeats its response, so only the cookie prevents a second use. */
  const answerOf = (url: string) => {
    const parameters = new URL(url).searchParams;
    return `${callback}?${new URLSearchParams({ code: parameters.get('nonce')!, state: parameters.get('state')! })}`;
  };
  it('works once, in any spelling of the cookie', async () => {
    await addPerson(beside, { isOwner: true, email: 'pat@example.org' });
    provider.tell({ claims: { email: 'pat@example.org', email_verified: true } });
    const { url, errand } = await begin(beside);
    const secret = errand.replace('tapedeck_errand=', '');
    const use = (text: string) => comeBack(beside, answerOf(url), [`tapedeck_errand=${text}`]);
    const expired = { to: '/sign-in?trouble=ticket_expired', session: null };
    for (const [name, spelling] of spellInHeaders(secret))
      assert.deepEqual(await use(spelling), expired, name);
    assert.notEqual((await use(secret)).session, null);
    for (const [name, spelling] of [['as it was', secret] as const, ...spellInHeaders(secret)])
      assert.deepEqual(await use(spelling), expired, name);
  });
  it('links once', async () => {
    const person = await addPerson(beside);
    provider.tell({ claims: { sub: 'linked' } });
    const { url, errand } = await readBegun(await person.send(beginLinking, { body: { password } }));
    const cookies = (text: string) => [text, `tapedeck_session=${person.cookie}`];
    assert.equal((await comeBack(beside, answerOf(url), cookies(errand))).to, '/account');
    for (const [name, spelling] of [['as it was', errand] as const, ...spellInHeaders(errand)])
      assert.match((await comeBack(beside, answerOf(url), cookies(spelling))).to, /trouble=/, name);
  });
});
