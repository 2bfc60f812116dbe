/** Tests the output of `status` and of list commands, while the service runs and after it has stopped. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { Environment } from '../../src/config.ts';
import { recordAddress } from '../../src/stores/dataDirectory/dataDirectory.ts';
import { version } from '../../src/version.ts';
import { addPerson } from './people.ts';
import { makeDirectory, startQuietService, type TestService } from './service.ts';
import { runTapedeck, tapedeck } from './tapedeck.ts';
import { makePicture, mediaToken, uploadFile } from './uploading.ts';

const logsToken = 'logs-token-of-the-tests-01234567';

type Status = {
  version: string;
  url: string | null;
  stores: { name: string; state: string; reason: string | null }[];
  disk: { freeBytes: number; totalBytes: number };
  journal: { bytes: number };
  counts: Record<string, number>;
  backup: { folder: string } | null;
};
type Listed = Record<string, unknown>[];

/** `place` holds the database address, and the secret where that database needs it. */
export function testLists(title: string, place: Environment): void {
  test(`${title}: lists and status, with the service and without`, async () => {
    await using directory = await makeDirectory();
    const dataDir = `${directory.path}/data`;
    const environment = { ...place, TAPEDECK_DATA_DIR: dataDir };
    const tokens = { TAPEDECK_MEDIA_TOKEN: mediaToken, TAPEDECK_LOGS_TOKEN: logsToken };
    const read = async <T>(line: string): Promise<T> =>
      // Each caller asserts the shape it expects.
      JSON.parse(await tapedeck([...line.split(' '), '--json'], environment)) as T;
    const look = async (url: string | null) => {
      await waitForJournal(() => read('status'));
      const status = await read<Status>('status');
      assertStatus(status, url);
      const text = await tapedeck(['status'], environment);
      assert.ok(text.includes(url ?? 'not running on this machine'));
      assert.match(text, /^stored +2 projects, 1 users, \d tokens, 1 files/m);
      await assertLists(read);
      for (const list of ['project', 'dataset', 'user'])
        assert.match(await tapedeck([list, 'list'], environment), /\n/, `${list} list has a row`);
    };
    await using service = await startQuietService({ dataDir, environment: { ...place, ...tokens } });
    await fill(service, environment);
    await tapedeck(['project', 'create', 'Arena'], environment);
    await noteOwnAddress(dataDir, service);
    await look(service.url);
    await service[Symbol.asyncDispose]();
    await look(null);
  });
}

/** Records the address as `serve` does, because this service runs in the test's process. */
async function noteOwnAddress(dataDir: string, { url }: TestService): Promise<void> {
  await recordAddress(dataDir, url);
}

async function fill(service: TestService, environment: Environment): Promise<void> {
  await addPerson(service, { email: 'lists@example.org', isOwner: true });
  await uploadFile(service, await makePicture());
  await tapedeck(['dataset', 'set', 'game', '--retain', '9d'], environment);
  const sent = await service.fetch('/api/v3/logs', {
    method: 'POST',
    headers: { authorization: logsToken, 'content-type': 'application/json' },
    body: JSON.stringify([
      { level: 'info', message: 'one' },
      { level: 'warn', message: 'two' },
    ]),
  });
  assert.equal(sent.status, 200);
}

async function waitForJournal(read: () => Promise<Status>): Promise<void> {
  for (const deadline = performance.now() + 20_000; (await read()).journal.bytes > 0; await wait(50))
    assert.ok(performance.now() < deadline, 'the journal is handed over');
}

function assertStatus(status: Status, url: string | null): void {
  assert.deepEqual([status.version, status.url, status.backup], [version, url, null]);
  assert.deepEqual(
    status.stores.map(({ name, state }) => `${name} ${state}`),
    ['database up', 'files up', url === null ? 'logs stopped' : 'logs up'],
  );
  assert.ok(status.disk.freeBytes > 0 && status.disk.totalBytes > status.disk.freeBytes);
  const { projects, users, files } = status.counts;
  assert.deepEqual([projects, users, files], [2, 1, 1]);
  assert.ok((status.counts.fileBytes ?? 0) > 0);
}

async function assertLists(read: <T>(line: string) => Promise<T>): Promise<void> {
  const projects = await read<Listed>('project list');
  assert.deepEqual(
    projects.map(({ project, name }) => [project, name]),
    [
      ['arena', 'Arena'],
      ['default', 'Default'],
    ],
  );
  assert.equal((projects[1]!.stored as { files: number }).files, 1); // the command prints this shape
  const datasets = await read<Listed>('dataset list --project default');
  assert.deepEqual(
    datasets.map(({ project, dataset, entries, retentionDays }) => [
      project,
      dataset,
      entries,
      retentionDays,
    ]),
    [
      ['default', 'default', 2, null],
      ['default', 'game', 0, 9],
    ],
  );
  assert.deepEqual(await read('dataset list --project arena'), []);
  const [user, ...others] = await read<Listed>('user list');
  assert.deepEqual([user?.email, user?.isOwner, others], ['lists@example.org', true, []]);
  assert.ok(!JSON.stringify(user).toLowerCase().includes('password'));
}

export async function assertAway(environment: Environment): Promise<void> {
  const { exitCode, printed } = await runTapedeck(['status', '--json'], environment);
  // The command prints this shape.
  const { stores, counts } = JSON.parse(printed) as Status;
  assert.deepEqual([exitCode, counts, stores[0]?.state], [1, null, 'away']);
  assert.match(stores[0]?.reason ?? '', /\w/);
}
