/** Checks the dialogs that rows, menus and earlier dialogs open against the accessibility rules, in light and dark, on a desktop and a phone. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createChannel } from '@tapedeck/contract/channels';
import { createLogView } from '@tapedeck/contract/logViews';
import { updateProject } from '@tapedeck/contract/projects';
import { createRule } from '@tapedeck/contract/rules';
import { createSubjectNote } from '@tapedeck/contract/subjectNotes';
import type { Page } from 'playwright-core';
import { addPerson, addToken, type Person, password } from '../../server/tests/support/people.ts';
import { makePicture, mediaEnvironment, uploadFile } from '../../server/tests/support/uploading.ts';
import { moveTo } from './inAppNavigation.ts';
import { openDashboard } from './openedDashboard.ts';
import { findBroken } from './screenReaderRules.ts';

/** Turns the text after it, unless the dialog isolates the name. */
const turned = 'Ann\u202egnp.exe';
const isolated = `\u2068${turned}\u2069`;
const long = 'W'.repeat(100);
const about = { player: { id: 7, name: 'Ann' } };

const opened = await openDashboard({
  environment: { ...mediaEnvironment, TAPEDECK_OUTGOING_PRIVATE: 'true' },
  prepare: async owner => {
    await addContents(owner);
    return '/';
  },
});
after(() => opened[Symbol.asyncDispose]());
const { page } = opened;

async function addContents(owner: Person): Promise<void> {
  const { service } = owner;
  const params = { project: 'default' };
  const member = await addPerson(service, { roles: { default: 'member' }, name: turned });
  await addToken(member, { kind: 'logs', name: 'theirs' });
  const { token } = await addToken(owner, { kind: 'logs', name: turned });
  const send = async (address: string, body: string | null) => {
    const headers = { authorization: token, ...(body !== null && { 'content-type': 'application/json' }) };
    const response = await service.fetch(address, { method: 'POST', headers, body });
    assert.equal(response.status, 200, await response.text());
  };
  await send('/api/v3/logs', JSON.stringify([{ level: 'error', message: 'door', metadata: about }]));
  await send('/api/sdk/report?sdkType=server_a&endpoint=203.0.113.5:30120&resourceName=harbour', null);
  for (const path of ['clips', long])
    await uploadFile(service, await makePicture(), { filename: 'shot.png', path });
  await owner.call(createLogView, { params, body: { name: turned, query: 'level=error' } });
  const pager = { name: 'Pager', kind: 'webhook', target: `${service.url}/in` } as const;
  const { channel } = await owner.call(createChannel, { params, body: pager });
  const condition = { op: '>=', value: 50 } as const;
  const rule = { kind: 'count', query: 'door', windowSeconds: 300, condition } as const;
  await owner.call(createRule, { params, body: { ...rule, name: 'Doors' } });
  await owner.call(createRule, { params, body: { ...rule, name: long, channels: [channel.id] } });
  const kind = { kind: 'player', idPaths: ['player.id'], namePaths: ['player.name'] };
  await owner.call(updateProject, { params, body: { subjects: [kind] } });
  await owner.call(createSubjectNote, { params, body: { kind: 'player', id: '7', text: 'Was warned.' } });
}

/** Presses a button, link or menu item by its name; fills a field or chooses an option; or waits for a text. */
type Step = string | readonly [field: string, value: string] | { text: string };

const project = '/projects/default';
/** A page, the title of the dialog at the end, and the steps to it. */
const dialogs: readonly (readonly [address: string, title: string, ...steps: Step[]])[] = [
  ['/users', turned, `Edit ${turned}`],
  ['/users', `Delete ${isolated}?`, `Edit ${turned}`, 'Delete user…'],
  [`${project}/members`, `Remove ${isolated}?`, `Remove ${turned}`],
  [`${project}/members`, `Make ${isolated} a viewer?`, [`Role of ${turned}`, 'viewer']],
  [`${project}/members`, 'Invitation link', 'Invite', 'Create link'],
  [`${project}/tokens`, `Revoke ${isolated}?`, `Revoke ${turned}`],
  [`${project}/tokens`, 'Your new token', 'New token', 'Create token'],
  [
    `${project}/tokens`,
    'Close without the token?',
    'New token',
    'Create token',
    { text: 'It is shown only now.' },
    'Close',
  ],
  [`${project}/datasets`, 'Delete the dataset default?', 'Delete default'],
  [
    `${project}/datasets`,
    'Keep default for 1 day?',
    'Retention of default',
    ['Keep entries for', '1'],
    'Save',
  ],
  [`${project}/log-views`, 'Rename view', `Rename ${turned}`],
  [`${project}/log-views`, `Delete the view ${isolated}?`, `Delete ${turned}`],
  [`${project}/logs?query=door`, 'Save this search', 'Views', 'Save this search…'],
  [`${project}/logs`, 'Between two times', ['Time', 'Between two times…']],
  [`${project}/sessions`, 'harbour', 'Details of harbour 203.0.113.5:30120'],
  [`${project}/sessions`, 'End the session of harbour?', 'End the session of harbour 203.0.113.5:30120'],
  [`${project}/alerts`, 'Mute Doors', 'Actions for Doors', 'Mute until…'],
  [`${project}/alerts`, 'Delete Doors?', 'Actions for Doors', 'Delete'],
  [`${project}/alerts/new?want=few`, 'Leave without saving?', ['Name', 'Few'], 'Cancel'],
  [`${project}/alerts/channels`, 'Change Pager', 'Actions for Pager', 'Change'],
  [`${project}/alerts/channels`, 'Delete Pager?', 'Actions for Pager', 'Delete'],
  [`${project}/alerts/channels`, 'New secret for Pager', 'Actions for Pager', 'New secret'],
  [`${project}/alerts/channels`, 'Your new secret', 'Actions for Pager', 'New secret', 'Create a new secret'],
  [`${project}/files?path=clips`, 'Rename or move folder', 'Rename or move this folder'],
  [`${project}/files`, 'Upload files', 'Upload'],
  [`${project}/files?path=${long}`, 'Upload link', 'Upload link', 'Create link'],
  [`${project}/settings`, 'Delete Default?', 'Delete…'],
  [`${project}/players?kind=player&id=7`, 'Delete this note?', 'Delete this note'],
  ['/account', 'Add a passkey', 'Add a passkey'],
  ['/account', 'Set up a second factor', 'Set up', ['Your password', password], 'Continue'],
];

for (const [address, title, ...steps] of dialogs) {
  test(`“${title.replaceAll(/[\u202e\u2068\u2069]/g, '')}” on ${address} passes the rules`, async () => {
    await page.setViewportSize({ width: 1280, height: 860 });
    await moveTo(page, address);
    for (const step of steps) await take(step);
    await check(title);
  });
}

test('“Fields” on a phone passes the accessibility rules', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await moveTo(page, `${project}/logs`);
  await take('Fields');
  await check('Fields');
});

async function take(step: Step): Promise<void> {
  if (typeof step === 'string') await findControl(page, step).click();
  else if ('text' in step) await page.getByText(step.text).waitFor();
  else {
    const field = page.getByLabel(step[0], { exact: true }).first();
    const isSelect = await field.evaluate(element => element instanceof HTMLSelectElement);
    await (isSelect ? field.selectOption(step[1]) : field.fill(step[1]));
  }
}

/** The last one is the one in front: a dialog comes after the page. */
function findControl(page: Page, name: string) {
  const named = { name, exact: true };
  const kinds = (['button', 'menuitem', 'link'] as const).map(role => page.getByRole(role, named));
  return kinds.reduce((all, each) => all.or(each)).last();
}

async function check(title: string): Promise<void> {
  const dialog = page.getByRole('dialog').or(page.getByRole('alertdialog'));
  await dialog.getByRole('heading', { name: title, exact: true }).waitFor();
  assert.deepEqual(await findBroken(page), []);
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await page.setViewportSize({ width: 390, height: 844 });
  const broken = await findBroken(page);
  const excess = await dialog.last().evaluate(each => each.scrollWidth - each.clientWidth);
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  assert.deepEqual(broken, []);
  assert.equal(excess, 0, `${excess} pixels wider than the phone`);
}

test('asks on Back before losing a token that has not been copied', async () => {
  await page.setViewportSize({ width: 1280, height: 860 });
  await moveTo(page, `${project}/issues`);
  await page.getByRole('navigation', { name: 'Project' }).getByRole('link', { name: 'Tokens' }).click();
  await page.getByRole('button', { name: 'New token' }).click();
  await page.getByRole('button', { name: 'Create token' }).click();
  await page.getByText('It is shown only now.').waitFor();
  await page.goBack();
  const question = page.getByRole('alertdialog', { name: 'Close without the token?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('It is shown only now.').waitFor();
  await page.goBack();
  await question.getByRole('button', { name: 'Close without it' }).click();
  await page.getByRole('heading', { name: 'Issues', level: 1 }).waitFor();
  assert.equal(await page.getByRole('dialog').count(), 0);
});
