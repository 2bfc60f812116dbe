/** Checks the alert pages against the accessibility rules, in light and dark. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createChannel } from '@tapedeck/contract/channels';
import { createRule } from '@tapedeck/contract/rules';
import type { Page } from 'playwright-core';
import { addPerson, addProject, addToken } from '../../server/tests/support/people.ts';
import { type Receiver, startReceiver } from '../../server/tests/support/receiver.ts';
import { startTestService, type TestService } from '../../server/tests/support/service.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { buildDashboard } from './build.ts';
import { moveTo } from './inAppNavigation.ts';
import { findBroken, findFaint } from './screenReaderRules.ts';
import { comeIn } from './steps.ts';

const alerts = '/projects/default/alerts';

let service: TestService;
let browser: TestBrowser;
let receiver: Receiver;
let page: Page;
let rule: string;

before(async () => {
  await buildDashboard();
  receiver = await startReceiver();
  service = await startTestService({ environment: { TAPEDECK_OUTGOING_PRIVATE: 'true' } });
  browser = await startBrowser(service.url);
  const owner = await addPerson(service, { isOwner: true });
  await addProject(owner, 'second');
  const { token } = await addToken(owner, { kind: 'logs' });
  const params = { project: 'default' };
  const target = { name: 'Pager', kind: 'webhook', target: receiver.url } as const;
  const { channel } = await owner.call(createChannel, { params, body: target });
  const condition = { op: '>=', value: 1 } as const;
  const body = { name: 'Doors', kind: 'count' as const, query: 'door', condition, channels: [channel.id] };
  ({ id: rule } = (await owner.call(createRule, { params, body })).rule);
  const headers = { authorization: token, 'content-type': 'application/json' };
  const request = { method: 'POST', headers, body: '[{"level":"info","message":"A door opened"}]' };
  assert.equal((await service.fetch('/api/v3/logs', request)).status, 200);
  ({ page } = await browser.openPage());
  page.setDefaultTimeout(45_000); // a busy machine takes half a minute to load a page
  await comeIn(page, owner, alerts);
});

after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
});

/** A name, an address, and the text that loads last. */
const pages: readonly (readonly [string, string | (() => string), string])[] = [
  ['rules', alerts, 'Firing'],
  ['no rule yet', '/projects/second/alerts', '0 new messages in the last seven days.'],
  ['a firing rule', () => `${alerts}/${rule}`, 'Fired'],
  ['editing a rule', () => `${alerts}/${rule}/edit`, 'Would have fired 1 time'],
  ['a new rule about silence', `${alerts}/new?want=few&query=door`, 'Would have fired'],
  ['a new rule about new patterns', `${alerts}/new?want=new`, 'Latest patterns:'],
  ['a rule with an invalid query', `${alerts}/new?query=(a`, 'Notify these channels'],
  ['channels', `${alerts}/channels`, 'Used by'],
  ['deliveries', `${alerts}/deliveries`, 'Rule fired to Pager'],
];

for (const [name, where, last] of pages) {
  test(`${name}: passes in light and dark mode`, async () => {
    await moveTo(page, typeof where === 'string' ? where : where());
    await page.getByText(last).first().waitFor();
    assert.deepEqual(await findBroken(page), []);
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    const faint = await findFaint(page);
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    assert.deepEqual(faint, []);
  });
}
