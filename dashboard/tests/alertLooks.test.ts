/** Tests the alerts page for viewers, and on a phone, where a finger drags the line. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createRule, deleteRule } from '@tapedeck/contract/rules';
import { addPerson } from '../../server/tests/support/people.ts';
import { moveTo } from './inAppNavigation.ts';
import { openDashboard } from './openedDashboard.ts';
import { makeDoorChannel, makeTakenRule, sendDoorEntries } from './patternEntries.ts';
import { findMisfits } from './phone.ts';
import { comeIn } from './steps.ts';

const alerts = '/projects/default/alerts';

let rule: string;
const dashboard = await openDashboard({
  prepare: async owner => {
    await sendDoorEntries(owner);
    await makeDoorChannel(owner);
    rule = await makeTakenRule(owner);
    return alerts;
  },
});
after(() => dashboard[Symbol.asyncDispose]());
const { service, browser, visitor, page } = dashboard;

test('a viewer sees rules, channels and deliveries but cannot change them', async () => {
  const viewer = await addPerson(service, { roles: { default: 'viewer' } });
  const { page: theirs } = await browser.openPage();
  theirs.setDefaultTimeout(45_000);
  await comeIn(theirs, viewer, alerts);
  await theirs.getByRole('row', { name: 'Taken' }).waitFor();
  for (const [address, shown] of [
    [alerts, 'Taken'],
    [`${alerts}/channels`, '#doors'],
    [`${alerts}/deliveries`, 'No notifications yet'],
    [`${alerts}/${rule}`, 'It has not fired yet.'],
    [`${alerts}/new`, 'Only admins can create rules'],
    [`${alerts}/${rule}/edit`, 'Only admins can change rules'],
  ] as const) {
    await moveTo(theirs, address);
    await theirs.getByRole('main').getByText(shown).first().waitFor();
    const pressable = theirs.getByRole('main').locator('button:enabled:not(th *)');
    assert.deepEqual(await pressable.allInnerTexts(), [], address);
  }
  await moveTo(theirs, '/projects/default/logs');
  await theirs.getByRole('option').filter({ hasText: 'opened' }).first().waitFor();
  assert.equal(await theirs.getByRole('link', { name: 'Alert me about this' }).count(), 0);
  await theirs.context().close();
});

test('fits the longest names on a phone', async () => {
  const params = { project: 'default' };
  const { rule: long } = await dashboard.owner.call(createRule, {
    params,
    body: { name: 'W'.repeat(100), kind: 'new_pattern', query: 'V'.repeat(300) },
  });
  for (const address of ['', `/${long.id}`, `/${long.id}/edit`])
    assert.deepEqual(await findMisfits(page, `${alerts}${address}`), []);
  await dashboard.owner.call(deleteRule, { params: { ...params, rule: long.id } });
});

test('drags the line with a finger on a phone, where everything fits', async () => {
  for (const address of ['', '/channels', '/deliveries', '/new?query=door', `/${rule}`])
    assert.deepEqual(await findMisfits(page, `${alerts}${address}`), []);
  await page.setViewportSize({ width: 390, height: 844 });
  await moveTo(page, `${alerts}/new?query=door`);
  const line = page.getByRole('slider', { name: 'Threshold' });
  await line.scrollIntoViewIfNeeded();
  const place = await line.boundingBox();
  assert(place);
  const [x, y] = [place.x + place.width / 2, place.y + place.height / 2];
  const input = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', points: { x: number; y: number }[]) =>
    input.send('Input.dispatchTouchEvent', { type, touchPoints: points });
  await touch('touchStart', [{ x, y }]);
  for (const up of [-5, -10, -15, -20]) await touch('touchMove', [{ x, y: y - up }]);
  await touch('touchEnd', []);
  const value = Number(await line.getAttribute('aria-valuenow'));
  assert(value >= 1 && value < 10, `it was drawn down to ${value}`);
});

test('no request was refused and the browser reported no errors', () => {
  assert.deepEqual(visitor.takeRefusals(), []);
  assert.deepEqual(browser.troubles, []);
});
