/** Users on a full disk: they sign in, delete and shorten retentions to free space, and the service reports how full it is. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { makeCode, stepAt } from '@tapedeck/values/one-time-codes';
import { summariseAnswer } from '../support/jsonAnswers.ts';
import { makeSmallDisk } from '../support/smallDisk.ts';
import { type ServiceProcess, startProcess } from '../support/tapedeck.ts';

const tokens = { logs: 'logs-token-of-the-full-disk-0000', media: 'media-token-of-the-full-disk-000' };
const owner = { email: 'owner@example.org', password: 'correct horse battery' };
const megabytes = 160;
const resumeMsMax = 15_000; // CONTRACT.md, 4.5
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

type Sent = { body?: unknown; cookie?: string; token?: string };

/** The request is `GET /healthz`. */
function send(
  { url }: ServiceProcess,
  request: string,
  { body, cookie, token }: Sent = {},
): Promise<Response> {
  const [method = '', route = ''] = request.split(' ');
  return fetch(url + route, {
    method,
    signal: AbortSignal.timeout(60_000),
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(cookie !== undefined && { cookie }),
      ...(token !== undefined && { authorization: token }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** Returns the response, and the session that it opens. */
async function call(service: ServiceProcess, request: string, sent?: Sent) {
  const response = await send(service, request, sent);
  const text = await response.text();
  assert.equal(response.status, 200, `${request}: ${text}`);
  const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';');
  // The contract's shape; each caller names the fields it reads.
  return { cookie, answer: JSON.parse(text) as Record<string, string> };
}

const storeEntries = async (service: ServiceProcess, dataset = 'default') => {
  const body = [{ level: 'info', message: 'x'.repeat(1000) }];
  return summariseAnswer(
    await send(service, `POST /api/v3/logs?dataset=${dataset}`, { body, token: tokens.logs }),
  );
};
const upload = async (service: ServiceProcess) => {
  const body = { base64: picture.toString('base64') };
  return send(service, 'POST /api/v3/file/base64', { body, token: tokens.media });
};
const askReady = async (service: ServiceProcess, role: string) =>
  (await send(service, `GET /readyz?role=${role}`)).status;

async function until(what: string, isSo: () => Promise<boolean>, timeMsMax: number): Promise<void> {
  const deadline = performance.now() + timeMsMax;
  while (!(await isSo())) {
    assert.ok(performance.now() < deadline, what);
    await wait(50);
  }
}

async function readGauge(service: ServiceProcess, name: string): Promise<number> {
  const text = await (await send(service, 'GET /metrics')).text();
  const found = new RegExp(`^${name}\\{store="data"\\} (.*)$`, 'm').exec(text);
  return Number(found?.[1]);
}

await using opened = new AsyncDisposableStack();
const disk = opened.use(await makeSmallDisk(megabytes));
const environment = {
  TAPEDECK_DATA_DIR: disk.path,
  TAPEDECK_LOGS_TOKEN: tokens.logs,
  TAPEDECK_MEDIA_TOKEN: tokens.media,
  TAPEDECK_ADMIN_EMAIL: owner.email,
  TAPEDECK_ADMIN_PASSWORD: owner.password,
};
const service = opened.use(await startProcess(environment, disk.launcher));
const cleanUp = opened.move();
after(() => cleanUp.disposeAsync());
const processId = service.child.pid!;
const first = await call(service, 'POST /api/manage/sign-in', { body: owner });
const { cookie } = first;
const files: string[] = [];
for (let count = 0; count < 3; count++) {
  const { data } = (await (await upload(service)).json()) as { data: { id: string } };
  files.push(data.id);
}
for (const dataset of ['default', 'first', 'second'])
  assert.equal(await storeEntries(service, dataset), '200');
const begun = await call(service, 'POST /api/manage/me/second-factor', { body: owner, cookie });
const { secret = '', ticket } = begun.answer;
const codeOf = (ahead: number) => makeCode(secret, stepAt(Date.now()) + ahead);
const confirmed = await call(service, 'POST /api/manage/me/second-factor/confirm', {
  body: { ticket, code: codeOf(0) },
  cookie,
});
const recoveryCodes = confirmed.answer.recoveryCodes as unknown as string[]; // SecondFactor's contract
assert.equal(await askReady(service, 'intake'), 200);
const totalBytes = await readGauge(service, 'tapedeck_disk_total_bytes');
assert.equal(totalBytes, megabytes * 1024 * 1024);

const fill = () => disk.fill(processId);
const isIntakeFailing = async () => {
  await fill(); // including what the engine has freed meanwhile
  return (await askReady(service, 'intake')) === 503;
};
await until('intake reports a full disk', isIntakeFailing, 10_000);
const signIn = async (code: string) => {
  const { answer } = await call(service, 'POST /api/manage/sign-in', { body: owner });
  const body = { ticket: answer.ticket, code };
  return (await call(service, 'POST /api/manage/sign-in/code', { body })).cookie;
};

describe('on a full disk', () => {
  let owned = '';
  it('rejects entries and uploads, and readiness, metrics and log say why', async () => {
    await until('entries', async () => (await storeEntries(service)) === '507 disk_full', 10_000);
    await fill();
    await until(
      'uploads',
      async () => {
        await fill();
        return (await summariseAnswer(await upload(service))) === '507 disk_full';
      },
      10_000,
    );
    const answer = await (await send(service, 'GET /readyz?role=intake')).text();
    assert.match(answer, /full/);
    const whole = (await (await send(service, 'GET /readyz')).json()) as {
      roles: Record<string, string>;
      reasons: string[];
    };
    assert.deepEqual(whole.roles, { intake: 'failing', query: 'ok', media: 'ok' });
    assert.ok(
      whole.reasons.some(reason => reason.includes('full')),
      String(whole.reasons),
    );
    assert.equal(await askReady(service, 'media'), 200, 'files can still be read');
    const isShown = async () => (await readGauge(service, 'tapedeck_disk_full')) === 1;
    await until('metrics', isShown, 10_000);
    assert.ok((await readGauge(service, 'tapedeck_disk_free_bytes')) < totalBytes / 20);
    const warnings = service.lines.filter(line => line.includes('the disk is full: uploads'));
    assert.equal(warnings.length, 1, 'the log says so once');
  });

  it('users sign in, with a second factor, and out, again and again, and others use the space', async () => {
    for (const code of [codeOf(1), ...recoveryCodes.slice(0, 4)]) {
      await fill();
      const session = await signIn(code);
      await fill();
      await call(service, 'GET /api/manage/me', { cookie: session });
      await call(service, 'POST /api/manage/sign-out', { cookie: session });
    }
  });

  it('files and datasets can be deleted, and retention shortened', async () => {
    owned = await signIn(recoveryCodes[5]!);
    const session = owned;
    const project = '/api/manage/projects/default';
    const manage = async (request: string, body?: unknown) => {
      await fill();
      await call(service, request, { cookie: session, ...(body !== undefined && { body }) });
    };
    await manage(`DELETE ${project}/files/${files[0]}`);
    await manage(`PATCH ${project}/datasets/first`, { retentionDays: 1 });
    await manage(`PATCH ${project}`, { logRetentionDays: 2 });
    // With no free space at all the engine may be unable to delete. Then it says so in time, and a retry works.
    const deletion = await send(service, `DELETE ${project}/datasets/first`, { cookie: session });
    assert.match(await summariseAnswer(deletion), /^(?:200|507 disk_full|503 engine_unavailable)$/);
    await fill();
    assert.equal(
      (await send(service, `DELETE /api/v3/file/${files[1]}`, { token: tokens.media })).status,
      200,
    );
  });

  it('recovers soon after there is space', async () => {
    await disk.makeRoom(processId);
    await until('intake', async () => (await askReady(service, 'intake')) === 200, resumeMsMax);
    await until('entries', async () => (await storeEntries(service)) === '200', resumeMsMax);
    await until('uploads', async () => (await upload(service)).status === 200, resumeMsMax);
    await until('metrics', async () => (await readGauge(service, 'tapedeck_disk_full')) === 0, resumeMsMax);
    await until('log', async () => service.lines.some(line => line.includes('room again')), resumeMsMax);
    const request = 'DELETE /api/manage/projects/default/datasets/second';
    const deletion = async () => (await send(service, request, { cookie: owned })).status === 200;
    await until('deletions', deletion, resumeMsMax);
  });
});
