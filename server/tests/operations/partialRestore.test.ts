/** Partial restores from a backup: some projects, only files or only log entries, or entries of a time range. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, test } from 'node:test';
import { addPerson, addProject, addToken } from '../support/people.ts';
import { makeDirectory, startTestService } from '../support/service.ts';
import { runTapedeck, tapedeck } from '../support/tapedeck.ts';
import { makePicture, mediaEnvironment, mediaToken, uploadFile } from '../support/uploading.ts';

await using opened = new AsyncDisposableStack();
const place = opened.use(await makeDirectory());
const folder = path.join(place.path, 'backup');
const hourMs = 3_600_000;
const noon = Date.parse('2026-01-05T12:00:00Z');
{
  await using service = await startTestService({ environment: mediaEnvironment });
  const owner = await addPerson(service, { isOwner: true });
  const other = await addProject(owner, 'arena');
  const media = await addToken(owner, { project: other, kind: 'media' });
  await uploadFile(service, await makePicture(5));
  await uploadFile(service, await makePicture(6));
  await uploadFile(service, await makePicture(7), {}, { token: media.token });
  const trashed = await uploadFile(service, await makePicture(8));
  const deleted = await service.fetch(`/api/v3/file/${trashed.id}?trash=true`, {
    method: 'DELETE',
    headers: { authorization: mediaToken },
  });
  assert.equal(deleted.status, 200, await deleted.text());
  for (const project of ['default', other]) {
    const { token } = await addToken(owner, { project, kind: 'logs' });
    const items = Array.from({ length: 10 }, (_, index) => ({
      level: 'info',
      message: `${project} ${index}`,
      metadata: { n: index, deep: { text: 'ä' } },
      timestamp: noon + index * hourMs,
    }));
    const response = await service.fetch('/api/v3/logs', {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json' },
      body: JSON.stringify(items),
    });
    assert.equal(response.status, 200, await response.text());
  }
  await tapedeck(['backup', folder], { TAPEDECK_DATA_DIR: service.dataDir });
}
const running = opened.move();
after(() => running.disposeAsync());

const since = new Date(noon + 2 * hourMs).toISOString();
const until = new Date(noon + 5 * hourMs).toISOString();
/** What was restored: files, one of them in the trash, entries, projects and tokens. */
const rows: readonly { args: string[]; says: RegExp; there: [number, number, string[], number] }[] = [
  { args: [], says: /^Restored .*20 log entries/, there: [4, 20, ['arena', 'default'], 3] },
  {
    args: ['--project', 'arena'],
    says: /^Restored files and log entries of arena from .*, and the users\./,
    there: [1, 10, ['arena'], 2],
  },
  { args: ['--only', 'files'], says: /^Restored the files from/, there: [4, 0, ['arena', 'default'], 3] },
  {
    args: ['--only', 'logs', '--since', since, '--until', until],
    says: /^Restored the log entries \(entries .* to .*\) from/,
    there: [0, 6, ['arena', 'default'], 3],
  },
  {
    args: ['--project', 'default,arena', '--since', until],
    says: /of default, arena/,
    there: [4, 10, ['arena', 'default'], 3],
  },
];

test('restores each part, and nothing else', async t => {
  for (const [number, { args, says, there }] of rows.entries()) {
    await t.test(args.join(' ') || 'everything', async () => {
      const dataDir = path.join(place.path, `restored-${number}`);
      const environment = { TAPEDECK_DATA_DIR: dataDir };
      assert.match(await tapedeck(['restore', folder, ...args], environment), says);
      await using service = await startTestService({ dataDir });
      const store = await service.openStore();
      const verified = JSON.parse(await tapedeck(['verify', '--json'], environment));
      assert.deepEqual(verified.findings, []);
      const projects = (await store.read.projects.list()).map(({ slug }) => slug);
      const expected = [...new Set([...there[2], 'default'])].toSorted(); // the default project always exists
      assert.deepEqual(projects, expected);
      assert.deepEqual([verified.files, verified.logs.entries], [there[0], there[1]]);
      assert.equal((await store.read.tokens.list(null)).length, there[3]);
      assert.equal((await store.read.users.list()).length, 1);
    });
  }
});

const refusals: readonly { args: string[]; says: RegExp; exitCode: number }[] = [
  { args: ['--project', 'nobody'], says: /^The backup holds no project nobody\./, exitCode: 1 },
  { args: ['--only', 'rows'], says: /^--only must be one of files, logs\./, exitCode: 2 },
  {
    args: ['--only', 'files', '--since', since],
    says: /^--since and --until select log entries/,
    exitCode: 2,
  },
  { args: ['--until', 'tomorrow'], says: /^--until must be an RFC 3339 instant/, exitCode: 2 },
];

test('rejects parts that are invalid or not in the backup', async () => {
  for (const { args, says, exitCode } of refusals) {
    const dataDir = path.join(place.path, 'refused');
    const outcome = await runTapedeck(['restore', folder, ...args], { TAPEDECK_DATA_DIR: dataDir });
    assert.match(outcome.complained, says);
    assert.equal(outcome.exitCode, exitCode);
  }
});
