/** Tests pictures beside an open log entry in a real browser: mentioned by URL, or of the same player and minute. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { updateProject } from '@tapedeck/contract/projects';
import { addToken } from '../../server/tests/support/people.ts';
import { makePicture, mediaEnvironment, uploadFile } from '../../server/tests/support/uploading.ts';
import { openDashboard } from './openedDashboard.ts';
import { findBroken } from './screenReaderRules.ts';

const logs = '/projects/default/logs?range=all';
const opened = await openDashboard({
  environment: mediaEnvironment,
  prepare: async owner => {
    const { service } = owner;
    const subjects = [
      { kind: 'player', idPaths: ['player.id', 'citizenid'], namePaths: [] },
      { kind: 'vehicle', idPaths: ['plate'], namePaths: [] },
    ];
    await owner.call(updateProject, { params: { project: 'default' }, body: { subjects } });
    const { token } = await addToken(owner, { kind: 'logs' });
    const upload = async (filename: string, metadata: object, visibility = 'public') =>
      uploadFile(service, await makePicture(40, 30), {
        filename,
        metadata: JSON.stringify(metadata),
        visibility,
      });
    await upload('hour before.png', { player: { id: 'a"b' } });
    service.clock.advance(3_600_000);
    await upload('soon before.png', { citizenid: 'a"b' }, 'private');
    const named = await upload('named file.png', {}, 'private');
    const seen = await upload('seen by all.png', {});
    await upload('somebody else.png', { player: { id: 8 } });
    service.clock.advance(30_000);
    const timestamp = new Date(service.clock.now()).toISOString();
    const address = `http://evil.example${new URL(named.url).pathname}`;
    const entries = [
      { message: `report: see ${named.url}?w=320.`, timestamp },
      { message: 'punished', metadata: { player: { id: 'a"b' }, plate: 'X 1' }, timestamp },
      { message: 'a screenshot', metadata: { shot: `${seen.url}?w=640` }, timestamp },
      { message: `foreign ${address}`, metadata: { player: { id: 9 } }, timestamp },
    ];
    service.clock.advance(20_000);
    await upload('the car.png', { plate: 'X 1' });
    service.clock.advance(3_600_000);
    await upload('hour after.png', { player: { id: 'a"b' } });
    const response = await service.fetch('/api/v3/logs', {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json' },
      body: JSON.stringify(entries.map(entry => ({ level: 'info', ...entry }))),
    });
    assert.equal(response.status, 200);
    return logs;
  },
});
after(() => opened[Symbol.asyncDispose]());
const { page } = opened;
/** Requests since the page opened. */
const asked: string[] = [];
page.on('request', request => asked.push(new URL(request.url()).pathname));
await page.reload();
const files = () => page.getByRole('list', { name: 'Files of this entry' }).getByRole('listitem');
const line = (text: string) =>
  page
    .getByRole('listbox', { name: /^Entries, / })
    .getByRole('option')
    .filter({ hasText: text });

test('shows the picture mentioned by an entry in its line, without other requests', async () => {
  const picture = line('a screenshot').locator('img');
  await page.waitForFunction(
    () => document.querySelector<HTMLImageElement>('[role=option] img')?.naturalWidth,
  );
  assert.match(
    (await picture.getAttribute('src')) ?? '',
    /^\/media\/default\/seen%20by%20all-\w+\.png\?w=320$/,
  );
  // The private file has an icon, and the page requested no signature.
  await line('report').getByRole('img', { name: 'Picture' }).waitFor();
  assert.equal(await line('report').locator('img').count(), 0);
  for (const text of ['foreign', 'punished'])
    assert.equal(await line(text).getByRole('img').count(), 0, text);
  assert.deepEqual(
    asked.filter(path => path.startsWith('/api/') && path.includes('/files')),
    ['/api/manage/projects/default/files'], // once, for the hosts
  );
  assert.deepEqual(await findBroken(page), []);
});

test('shows the picture of a URL in an entry, even a private one, and links it to the viewer', async () => {
  await line('report').click();
  await files().first().getByText('named file.png').waitFor();
  assert.equal(await files().count(), 1);
  await page.waitForFunction(() => document.querySelector<HTMLImageElement>('li img')?.naturalWidth);
  assert.deepEqual(await findBroken(page), []);
  await files().first().getByRole('link').click();
  await page.getByRole('dialog', { name: 'named file.png' }).waitFor();
  await page.goBack();
  await files().first().waitFor();
});

test("shows files of the entry's subjects from the same minute only", async () => {
  await line('punished').click();
  await files().getByText('the car.png').waitFor();
  const texts = await files().allInnerTexts();
  assert.deepEqual(
    texts.map(text => text.replaceAll(/\s+/g, ' ').trim()),
    ['the car.png 20 s later', 'soon before.png 30 s earlier'],
  );
});

test('does not treat the same path at another host as a file of this service', async () => {
  await line('foreign').click();
  await page.getByRole('complementary', { name: 'Entry' }).locator('pre').getByText('foreign').waitFor();
  await page.waitForLoadState('networkidle');
  assert.equal(await files().count(), 0);
});
