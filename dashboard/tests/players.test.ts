/** Tests a player's page in a real browser: confirming the kind, finding by an earlier name, filtering, and exporting. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { openEvidenceKey } from '@tapedeck/domain/subjects/evidence/signing';
import { verifyEvidence } from '@tapedeck/domain/subjects/evidence/verification';
import { keepSecret } from '../../server/src/stores/dataDirectory/secretFile.ts';
import { addToken } from '../../server/tests/support/people.ts';
import { makePicture, mediaEnvironment, uploadFile } from '../../server/tests/support/uploading.ts';
import { moveTo } from './inAppNavigation.ts';
import { openDashboard } from './openedDashboard.ts';
import { findBroken } from './screenReaderRules.ts';
import { press, readSearch, waitForPage } from './steps.ts';

const id = 'a/b 😀';
const license = 'license:0f';
const opened = await openDashboard({
  environment: mediaEnvironment,
  prepare: async owner => {
    const { service } = owner;
    const { token } = await addToken(owner, { kind: 'logs' });
    const about = (name: string) => ({ player: { id, license, name } });
    const hour = (ago: number) => new Date(service.clock.now() - ago * 3_600_000).toISOString();
    const entries = [
      {
        level: 'info',
        message: 'joined',
        resource: 'lobby',
        metadata: about('Old Name'),
        timestamp: hour(30),
      },
      {
        level: 'error',
        message: 'sold a car',
        resource: 'shop',
        metadata: about('<b>New</b>'),
        timestamp: hour(2),
      },
      { level: 'info', message: 'left', resource: 'lobby', metadata: { player: { id: 7 } } },
    ];
    const response = await service.fetch('/api/v3/logs', {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json' },
      body: JSON.stringify(entries),
    });
    assert.equal(response.status, 200);
    const metadata = JSON.stringify(about('<b>New</b>'));
    const hidden = { filename: 'hidden.png', metadata, visibility: 'private' };
    await uploadFile(service, await makePicture(40, 30), hidden);
    await uploadFile(service, await makePicture(64, 48), { filename: 'proof.png', metadata });
    return '/projects/default/players';
  },
});
after(() => opened[Symbol.asyncDispose]());
const { service, page } = opened;
const timeline = () => page.getByRole('list', { name: 'Timeline' }).getByRole('listitem');

test("links a player's entry to the set-up before the kind is confirmed", async () => {
  await page.goto('/projects/default/logs');
  await page.getByText('sold a car').first().click();
  await page.getByRole('link', { name: 'Set up player pages' }).click();
  await page.getByRole('heading', { name: 'Players', level: 1 }).waitFor();
});

test('confirms a kind with one press and finds players by a former name', async () => {
  await page.getByRole('button', { name: 'Confirm “Player”' }).click();
  // A single row with both ids.
  const row = page.getByRole('row', { name: '<b>New</b>' });
  for (const each of [id, license]) await row.getByText(each, { exact: true }).waitFor();
  assert.deepEqual(await findBroken(page), []);
  await page.getByLabel('Find a player').fill('old na');
  await page.getByRole('link', { name: '7', exact: true }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: '<b>New</b>' }).click();
  await page.getByRole('heading', { name: '<b>New</b>', level: 1 }).waitFor();
  assert.equal(readSearch(page).id, id);
});

test('links the numbers to the entries and files they count', async () => {
  await page.getByRole('link', { name: '1 error', exact: true }).click();
  const entries = page.getByRole('listbox', { name: /^Entries, / }).getByRole('option');
  await entries.filter({ hasText: 'sold a car' }).waitFor();
  assert.equal(await entries.count(), 1);
  await page.goBack();
  await page.getByRole('link', { name: '2 pictures', exact: true }).click();
  const files = page.getByRole('listbox', { name: 'Files' }).getByRole('option');
  await files.filter({ hasText: 'proof.png' }).waitFor();
  assert.equal(await files.count(), 2);
  await page.goBack();
  await page.getByRole('heading', { name: '<b>New</b>', level: 1 }).waitFor();
});

test('shows names, files and timeline of a player, and filters them', async () => {
  await page.getByText('Old Name').waitFor();
  await timeline().nth(3).waitFor();
  assert.equal(await timeline().count(), 4);
  await timeline().first().getByRole('link', { name: 'proof.png' }).waitFor();
  // Includes the private picture.
  await page.waitForFunction(() => {
    const pictures = [...document.querySelectorAll<HTMLImageElement>('li img')];
    return pictures.length === 2 && pictures.every(({ naturalWidth }) => naturalWidth > 0);
  });
  assert.deepEqual(await findBroken(page), []);
  await page.getByLabel('Resource').selectOption('shop');
  await timeline().nth(1).waitFor({ state: 'detached' });
  await timeline().getByText('sold a car').waitFor();
  await page.getByLabel('Resource').selectOption('');
  await page.getByLabel('From', { exact: true }).fill('now-3h');
  await timeline().nth(1).waitFor();
  await page.getByText('joined').waitFor({ state: 'detached' });
  await page.getByLabel('From', { exact: true }).fill('');
  await page.getByText('joined').waitFor();
  // The hour shows everything, without the filter that found the row.
  await page.getByLabel('Resource').selectOption('shop');
  await page.waitForURL(/resource=shop/);
  await timeline()
    .first()
    .getByRole('button', { name: /^Show the hour before / })
    .click();
  await page.waitForURL(/from=/);
  assert.equal(readSearch(page).resource, undefined);
  await page.getByText('“Export as evidence” contains').waitFor();
  await press(page, 'Show everything');
  await page.waitForURL(url => !url.searchParams.has('from'));
  // Nothing else happened in the hour before the oldest row.
  await timeline()
    .last()
    .getByRole('button', { name: /^Show the hour before / })
    .click();
  await timeline().nth(1).waitFor({ state: 'detached' });
  const { from = '', to = '' } = readSearch(page);
  assert.equal(Date.parse(to) - Date.parse(from), 3_600_000);
  await page.getByLabel('To', { exact: true }).fill('');
  await page.getByLabel('From', { exact: true }).fill('now-3h');
  await timeline().nth(1).waitFor();
});

test('exports what is shown as evidence that can be verified', async () => {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export as evidence' }).click();
  const bytes = await readFile(await (await download).path());
  const key = openEvidenceKey(await keepSecret(service.dataDir)).publicKey;
  const read = async (at: number, length: number) => Buffer.from(bytes.subarray(at, at + length));
  const { problems, head, entries } = await verifyEvidence({ sizeBytes: bytes.length, read }, key);
  assert.deepEqual([problems, entries], [[], 5]);
  assert.match(head?.query ?? '', /player\.id/);
  await page.getByText('The archive is in your downloads').waitFor();
});

test('shows only pictures in the timeline and links the number of files to all files', async () => {
  await page.getByLabel('Show', { exact: true }).selectOption('video');
  await page.getByText('Nothing matches these filters.').waitFor();
  await page.getByLabel('Show', { exact: true }).selectOption('image');
  await timeline().nth(1).waitFor();
  assert.equal(await timeline().count(), 2);
  await page.getByLabel('Show', { exact: true }).selectOption('');
  await timeline().first().waitFor();
  await page.getByRole('link', { name: '2 files' }).click();
  const files = page.getByRole('listbox', { name: 'Files' }).getByRole('option');
  await files.nth(1).waitFor();
  assert.equal(await files.count(), 2);
  await page.goBack();
  await timeline().first().waitFor();
});

test('exports only files when only files are shown', async () => {
  await page.getByLabel('Show', { exact: true }).selectOption('file');
  await page.waitForURL(/rows=file/);
  await page.getByText('contains only what these filters show').waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export as evidence' }).click();
  const bytes = await readFile(await (await download).path());
  assert.ok(bytes.includes('files alone') && bytes.includes('proof.png') && !bytes.includes('sold a car'));
  await page.getByLabel('Show', { exact: true }).selectOption('');
  await page.waitForURL(url => !url.searchParams.has('rows'));
});

test('writes, edits and deletes notes and includes them in the evidence', async () => {
  const notes = () => page.getByRole('list', { name: 'Notes' }).getByRole('listitem');
  const add = page.getByRole('button', { name: 'Add note' });
  await page.getByText('No notes yet.').waitFor();
  assert.equal(await add.isDisabled(), true);
  for (const text of ['Warned.\nTwice.', '<b>Appealed</b>']) {
    await page.getByLabel('New note').fill(text);
    await add.click();
    await notes().getByText(text).waitFor();
  }
  assert.deepEqual(await findBroken(page), []);
  await notes().first().getByRole('button', { name: 'Edit this note' }).click();
  await page.getByLabel('Note', { exact: true }).fill('Appeal refused.');
  await page.getByRole('button', { name: 'Save note' }).click();
  await notes()
    .first()
    .getByText(/Appeal refused\./)
    .waitFor();
  await notes()
    .first()
    .getByText(/edited/)
    .waitFor();
  await page.getByLabel('Include in evidence').check();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export as evidence' }).click();
  const bytes = await readFile(await (await download).path());
  assert.ok(bytes.includes('notes.json') && bytes.includes('Appeal refused.'));
  await notes().first().getByRole('button', { name: 'Delete this note' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete note' }).click();
  await notes().nth(1).waitFor({ state: 'detached' });
  assert.match((await notes().first().textContent()) ?? '', /Warned\.\nTwice\./);
});

test("opens the player's page from entries, files and Ctrl+K", async () => {
  await timeline().getByRole('link', { name: 'sold a car' }).click();
  await page.getByRole('link', { name: `Player ${id} in the hour before` }).click();
  await page.getByRole('heading', { name: '<b>New</b>', level: 1 }).waitFor();
  const { from = '', to = '' } = readSearch(page);
  assert.equal(Date.parse(to) - Date.parse(from), 3_600_000);
  await page.goBack();
  await page.getByRole('link', { name: 'Open the page of this player' }).first().click();
  await page.getByRole('heading', { name: '<b>New</b>', level: 1 }).waitFor();
  await timeline().getByRole('link', { name: 'proof.png' }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'Open the page of this player' }).first().click();
  await page.getByRole('heading', { name: '<b>New</b>', level: 1 }).waitFor();
  await moveTo(page, '/projects/default/tokens');
  await waitForPage(page);
  await page.keyboard.press('Control+k');
  const dialog = page.getByRole('dialog', { name: 'Go to' });
  await dialog.getByRole('combobox').fill(license);
  await dialog.getByRole('option', { name: /^<b>New<\/b> Player .*license:0f/ }).waitFor();
  assert.equal(await dialog.getByRole('option', { name: /Player/ }).count(), 1);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: '<b>New</b>', level: 1 }).waitFor();
  await page.waitForURL(url => url.pathname === '/projects/default/players');
  assert.equal(readSearch(page).id, id);
  // Enter before the players load must not open a log search.
  await page.goto('/projects/default/tokens');
  await waitForPage(page);
  await page.keyboard.press('Control+k');
  await dialog.getByRole('combobox').fill('old na');
  await page.keyboard.press('Enter');
  await page.waitForURL(url => url.pathname === '/projects/default/players');
  await page.getByRole('link', { name: license, exact: true }).click();
  await page.getByRole('heading', { name: '<b>New</b>', level: 1 }).waitFor();
  await page.waitForURL(url => url.searchParams.get('id') === license);
});

test('fits on a phone', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.reload();
  await timeline().first().waitFor();
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(wider <= 0, `${wider} pixels wider than the phone`);
});

test('shows and exports what names only another id of the player', async () => {
  const metadata = JSON.stringify({ player: { license } });
  await uploadFile(service, await makePicture(48, 36), { filename: 'badge.png', metadata });
  await page.reload(); // the license's page
  await page.getByText(`Log entries and files of ${license}, ${id}, newest first.`).waitFor();
  for (const name of ['badge.png', 'proof.png']) await timeline().getByRole('link', { name }).waitFor();
  await page.getByRole('link', { name: id, exact: true }).click();
  await page.getByText(`Log entries and files of ${id}, ${license}, newest first.`).waitFor();
  for (const name of ['badge.png', 'proof.png']) await timeline().getByRole('link', { name }).waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export as evidence' }).click();
  assert.ok((await readFile(await (await download).path())).includes('badge.png'));
});
