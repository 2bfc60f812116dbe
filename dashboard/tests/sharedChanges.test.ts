/** Tests that two people or tabs overwrite nothing unseen, and notice a revoked role or an ended session. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { endMySession, listMySessions } from '@tapedeck/contract/accounts';
import { createChannel, listChannels, updateChannel } from '@tapedeck/contract/channels';
import { updateProject } from '@tapedeck/contract/projects';
import { createRule, updateRule } from '@tapedeck/contract/rules';
import { addMember, removeMember, setMemberRole } from '@tapedeck/contract/users';
import { addPerson, addToken, password } from '../../server/tests/support/people.ts';
import { openDashboard } from './openedDashboard.ts';
import { findBroken } from './screenReaderRules.ts';
import { comeIn, plate, press, saveIn, signIn } from './steps.ts';

const settings = '/projects/default/settings';
const params = { project: 'default' };

const opened = await openDashboard({ prepare: async () => settings });
after(() => opened[Symbol.asyncDispose]());
const { service, browser, owner, page } = opened;

const playerPage = await createPlayer();

/** Returns the address of a player's page. */
async function createPlayer(): Promise<string> {
  const player = { kind: 'player', idPaths: ['player.id'], namePaths: [] };
  await owner.call(updateProject, { params, body: { subjects: [player] } });
  const { token } = await addToken(owner, { kind: 'logs' });
  const joined = { level: 'info', message: 'joined', metadata: { player: { id: 7 } } };
  const headers = { authorization: token, 'content-type': 'application/json' };
  const body = JSON.stringify([joined]);
  assert.equal((await service.fetch('/api/v3/logs', { method: 'POST', headers, body })).status, 200);
  return '/projects/default/players?kind=player&id=7';
}

/** A tab notices with its next request. */
const noticedMsMax = 45_000;

test('shows a setting changed elsewhere without treating it as a change of this tab', async () => {
  const files = plate(page, 'Quotas').getByLabel('Files');
  await files.fill('500');
  await owner.call(updateProject, { params, body: { name: 'Renamed elsewhere' } });
  await saveIn(page, 'Quotas');
  assert.equal(await plate(page, 'Name').getByLabel('Name').inputValue(), 'Renamed elsewhere');
  assert.equal(await plate(page, 'Name').getByRole('button', { name: 'Save' }).isDisabled(), true);
  assert.equal(await files.inputValue(), '500');
});

test('keeps typed text when another section is saved', async () => {
  const name = plate(page, 'Name').getByLabel('Name');
  await name.fill('Half a na');
  await plate(page, 'Quotas').getByLabel('Files').fill('600');
  await saveIn(page, 'Quotas');
  assert.equal(await name.inputValue(), 'Half a na');
});

test('warns before saving over a setting that was changed elsewhere', async () => {
  const files = plate(page, 'Quotas').getByLabel('Files');
  await files.fill('700');
  await owner.call(updateProject, { params, body: { filesMax: 650 } });
  await plate(page, 'Name').getByLabel('Name').fill('Renamed here');
  await saveIn(page, 'Name');
  await plate(page, 'Quotas').getByText('These settings were changed elsewhere').waitFor();
  assert.equal(await files.inputValue(), '700');
  await plate(page, 'Quotas').getByRole('button', { name: 'Show the changed settings' }).click();
  await plate(page, 'Quotas')
    .getByText('These settings were changed elsewhere')
    .waitFor({ state: 'detached' });
  assert.equal(await files.inputValue(), '650');
});

test('saves only the changed fields of a channel and keeps changes made elsewhere', async () => {
  const body = { name: 'Pager', kind: 'webhook', target: 'https://pager.example.com/in' } as const;
  const { channel } = await owner.call(createChannel, { params, body });
  await page.goto('/projects/default/alerts/channels');
  await page.getByRole('button', { name: 'Actions for Pager' }).click();
  await page.getByRole('menuitem', { name: 'Change' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Night pager');
  const changed = { severities: ['critical' as const], events: ['file.created' as const] };
  await owner.call(updateChannel, { params: { ...params, channel: channel.id }, body: changed });
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const { channels } = await owner.call(listChannels, { params });
  const [{ name, severities, events } = assert.fail('no channel')] = channels;
  assert.deepEqual({ name, severities, events }, { name: 'Night pager', ...changed });
});

test('warns before saving over a rule that was changed elsewhere', async () => {
  const condition = { op: '>=', value: 5 } as const;
  const body = {
    name: 'Errors',
    kind: 'count',
    query: 'level:error',
    windowSeconds: 300,
    condition,
  } as const;
  const { rule } = await owner.call(createRule, { params, body });
  await page.goto(`/projects/default/alerts/${rule.id}/edit`);
  await page.getByRole('textbox', { name: 'Name' }).waitFor();
  await owner.call(updateRule, { params: { ...params, rule: rule.id }, body: { name: 'Errors of Anna' } });
  await page.getByText('This rule was changed elsewhere').waitFor();
  await page.getByRole('button', { name: 'Show the changed rule' }).click();
  await page.getByText('This rule was changed elsewhere').waitFor({ state: 'detached' });
  assert.equal(await page.getByRole('textbox', { name: 'Name' }).inputValue(), 'Errors of Anna');
});

test("shows on saving that the user's role has changed", async () => {
  const admin = await addPerson(service, { roles: { default: 'admin' } });
  const visitor = await browser.openPage();
  await comeIn(visitor.page, admin, settings);
  const name = plate(visitor.page, 'Name').getByLabel('Name');
  await name.fill('By an admin');
  await owner.call(setMemberRole, { params: { ...params, user: admin.id }, body: { role: 'viewer' } });
  await plate(visitor.page, 'Name').getByRole('button', { name: 'Save' }).click();
  await visitor.page.getByText('Ask an admin to make changes. Your role is viewer.').waitFor();
  assert.equal(await name.isDisabled(), true);
  assert.deepEqual(visitor.takeRefusals(), ['403 PATCH /api/manage/projects/default']);
});

test('keeps a rule and a note whose author loses the role, and saves them once it is back', async () => {
  const admin = await addPerson(service, { roles: { default: 'admin' } });
  const visitor = await browser.openPage();
  const rulePage = visitor.page;
  await comeIn(rulePage, admin, '/projects/default/alerts/new');
  const name = rulePage.getByRole('textbox', { name: 'Name' });
  await name.fill('Half a rule');
  const notePage = await rulePage.context().newPage();
  await notePage.goto(playerPage);
  const note = notePage.getByRole('textbox', { name: 'New note' });
  await note.fill('Half a note');
  const user = { ...params, user: admin.id };
  await owner.call(setMemberRole, { params: user, body: { role: 'viewer' } });
  await press(rulePage, 'Create rule');
  await rulePage.getByText('You can no longer change rules: you are now a viewer.').waitFor();
  await press(notePage, 'Add note');
  await notePage.getByText('You can no longer write notes: you are now a viewer.').waitFor();
  assert.equal(await name.inputValue(), 'Half a rule');
  assert.equal(await note.inputValue(), 'Half a note');
  assert.equal(await rulePage.getByRole('button', { name: 'Create rule' }).isDisabled(), true);
  assert.deepEqual(await findBroken(rulePage), []);
  visitor.takeRefusals();

  await owner.call(setMemberRole, { params: user, body: { role: 'admin' } });
  await press(rulePage, 'Create rule'); // waits until it is enabled
  await rulePage.getByRole('heading', { name: 'Half a rule', level: 1 }).waitFor();
  await press(notePage, 'Add note');
  await notePage.getByRole('list', { name: 'Notes' }).getByText('Half a note').waitFor();
});

test('keeps a rule whose author is removed from the project until they are back', async () => {
  const admin = await addPerson(service, { roles: { default: 'admin' } });
  const visitor = await browser.openPage();
  await comeIn(visitor.page, admin, '/projects/default/alerts/new');
  const name = visitor.page.getByRole('textbox', { name: 'Name' });
  await name.fill('Half a rule');
  await owner.call(removeMember, { params: { ...params, user: admin.id } });
  await press(visitor.page, 'Create rule');
  await visitor.page.getByRole('heading', { name: 'Not found', level: 1 }).waitFor();
  await visitor.page.getByRole('link', { name: 'Go to the dashboard' }).click();
  await visitor.page.getByText('No project yet').waitFor();
  await owner.call(addMember, { params, body: { email: admin.email, role: 'admin' } });
  await visitor.page.goBack();
  await name.waitFor();
  assert.equal(await name.inputValue(), 'Half a rule');
  visitor.takeRefusals();
});

test('shows nothing of a project any more to a member who was removed from it', async () => {
  const member = await addPerson(service, { roles: { default: 'viewer' } });
  const visitor = await browser.openPage();
  await comeIn(visitor.page, member, '/projects/default/files');
  await visitor.page.getByRole('heading', { name: 'Files', level: 1 }).waitFor();
  await owner.call(removeMember, { params: { ...params, user: member.id } });
  await visitor.page.getByRole('navigation').getByRole('link', { name: 'Logs' }).click();
  await visitor.page.getByRole('heading', { name: 'Not found', level: 1 }).waitFor();
  await visitor.page.goBack();
  await visitor.page.getByRole('heading', { name: 'Not found', level: 1 }).waitFor();
  assert.equal(await visitor.page.getByRole('heading', { name: 'Files', level: 1 }).count(), 0);
  visitor.takeRefusals();
});

test('signs out the other tabs on signing out in one', async () => {
  const person = await addPerson(service, { roles: { default: 'viewer' } });
  const { page: first } = await browser.openPage();
  await comeIn(first, person, '/projects/default/files');
  const second = await first.context().newPage();
  await second.goto('/projects/default/logs');
  await second.getByRole('heading', { name: 'Logs', level: 1 }).waitFor();
  await first.getByRole('button', { name: 'Account' }).click();
  await first.getByRole('menuitem', { name: 'Sign out' }).click();
  await second.waitForURL(/sign-in/);
  assert.equal(await second.getByRole('heading', { name: 'Logs', level: 1 }).count(), 0);
});

test('keeps a rule and a note when the session ends, and lets one sign-in bring back every tab', async () => {
  const admin = await addPerson(service, { roles: { default: 'admin' } });
  const visitor = await browser.openPage();
  const first = visitor.page;
  await comeIn(first, admin, '/projects/default/alerts/new');
  const name = first.getByRole('textbox', { name: 'Name' });
  await name.fill('Half a rule');
  const second = await first.context().newPage();
  await second.goto(playerPage);
  const note = second.getByRole('textbox', { name: 'New note' });
  await note.fill('Half a further note');

  const { sessions } = await admin.call(listMySessions, {});
  const [{ id: session } = assert.fail('no session')] = sessions;
  await admin.call(endMySession, { params: { session } });
  for (const tab of [first, second])
    await tab.getByText('Your session has ended.').waitFor({ timeout: noticedMsMax });
  visitor.takeRefusals();

  await signIn(first, { email: admin.email, password });
  await name.waitFor();
  assert.equal(await name.inputValue(), 'Half a rule');
  await note.waitFor();
  assert.equal(await note.inputValue(), 'Half a further note');
  await press(second, 'Add note');
  await second.getByRole('list', { name: 'Notes' }).getByText('Half a further note').waitFor();
  // The form is emptied once the list is there.
  await second.waitForFunction(() => document.querySelector('textarea')?.value === '');
});

test('logs no errors', () => {
  assert.deepEqual(browser.troubles, []);
});
