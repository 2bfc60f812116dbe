/** The command line: what each command does, prints and refuses, with and without a running service. */
import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { getMe, signIn } from '@tapedeck/contract/accounts';
import { getProject } from '@tapedeck/contract/projects';
import { describeToken } from '@tapedeck/contract/tokens';
import { makeClient, withToken } from '../support/client.ts';
import { addPerson, password } from '../support/people.ts';
import { makeDirectory, startQuietService } from '../support/service.ts';
import { runProcess, runTapedeck, tapedeck } from '../support/tapedeck.ts';

const directory = await makeDirectory();
after(() => directory[Symbol.asyncDispose]());
const environment = { TAPEDECK_DATA_DIR: `${directory.path}/not/yet/there` };
const run = async (line: string) => (await tapedeck(line.split(' '), environment)).trim();
const runJson = async <T>(line: string): Promise<T> => {
  // Each caller asserts the shape it expects.
  return JSON.parse(await run(`${line} --json`)) as T;
};

type ListedToken = {
  id: string;
  prefix: string;
  kind: string;
  project: string;
  name: string;
  scopes: string[];
  createdAt: string;
  lastUsedAt: string | null;
  expiresAt: string | null;
};

test('creates a token before the first start: prints only the token, which the service then accepts', async () => {
  const token = await run('token create --kind media');
  assert.match(token, /^[0-9A-Za-z]{32}$/);
  await using service = await startQuietService({ dataDir: environment.TAPEDECK_DATA_DIR });
  const { data } = await withToken(service, token).call(describeToken);
  assert.deepEqual(data, { kind: 'media', project: 'default', name: '', scopes: [] });
  const running = await run('token create --kind logs --name ci');
  assert.equal((await withToken(service, running).call(describeToken)).data.name, 'ci');
});

test('a token has a project, name, scopes and expiry, and the list shows them', async () => {
  await run('project create Shooter');
  const made = await runJson<ListedToken & { token: string }>(
    'token create --kind media --project shooter --name upload --scope read,write --scope type:image --expires 30d',
  );
  const { token, ...record } = made;
  assert.match(token, /^[0-9A-Za-z]{32}$/);
  const [listed] = await runJson<ListedToken[]>('token list --project shooter');
  assert.deepEqual(listed, record);
  assert.deepEqual(Object.keys(listed!), [
    'id',
    'prefix',
    'kind',
    'project',
    'name',
    'scopes',
    'createdAt',
    'lastUsedAt',
    'expiresAt',
  ]);
  assert.deepEqual(listed!.scopes, ['read', 'write', 'type:image']);
  assert.equal(listed!.prefix, token.slice(0, 4));
  const lifeDays = (Date.parse(listed!.expiresAt!) - Date.parse(listed!.createdAt)) / 86_400_000;
  assert.ok(Math.abs(lifeDays - 30) < 0.01);
  const table = await run('token list --project shooter');
  assert.ok(table.includes(listed!.id) && !table.includes(token));
});

test('an expiry is a span or an instant', async () => {
  for (const [expires, seconds] of [
    ['45s', 45],
    ['10m', 600],
    ['2h', 7200],
    ['1w', 604_800],
  ] as const) {
    const { createdAt, expiresAt } = await runJson<ListedToken>(
      `token create --kind logs --expires ${expires}`,
    );
    const lifeSeconds = (Date.parse(expiresAt!) - Date.parse(createdAt)) / 1000;
    // The measured span starts with the command, the token's life when the database is open.
    assert.ok(lifeSeconds <= seconds && lifeSeconds > seconds - 20, `${expires} is ${lifeSeconds} s`);
  }
  const instant = await runJson<ListedToken>('token create --kind logs --expires 2100-01-02T03:04:05+01:00');
  assert.equal(instant.expiresAt, '2100-01-02T02:04:05.000Z');
});

test('lists tokens with their last use, and revokes them by id', async () => {
  await using service = await startQuietService({ dataDir: environment.TAPEDECK_DATA_DIR });
  const { token, id } = await runJson<ListedToken & { token: string }>(
    'token create --kind logs --name used',
  );
  await withToken(service, token).call(describeToken);
  await service[Symbol.asyncDispose](); // a stopping service writes the last uses
  const listed = (await runJson<ListedToken[]>('token list')).find(each => each.id === id)!;
  assert.ok(Math.abs(Date.parse(listed.lastUsedAt!) - Date.now()) < 60_000);
  assert.deepEqual(await runJson(`token revoke ${id}`), { id, revoked: true });
  assert.ok((await runJson<ListedToken[]>('token list')).every(each => each.id !== id));
});

test('creates a project by name, and updates any of its settings by slug or name', async () => {
  assert.equal(await run('project create Racing'), 'racing');
  const options = ['project', 'create', 'Racing Two', '--slug', 'race-2', '--json'];
  const second = JSON.parse(await tapedeck(options, environment)) as { project: string; name: string };
  assert.deepEqual([second.project, second.name], ['race-2', 'Racing Two']);
  type Quotas = { bytesMax: number | null; filesMax: number | null };
  type Shown = Quotas & { cdnDomain: string | null; cdnEnabled: boolean; retention: object };
  const set = (line: string) => runJson<Shown>(`project set ${line}`);
  const days = (changed: object) => ({ image: null, video: null, audio: null, ...changed });
  let shown = await set('racing --cdn-domain CDN.example.org');
  assert.deepEqual([shown.cdnDomain, shown.cdnEnabled], ['cdn.example.org', false]);
  shown = await set('Racing --cdn-enabled true');
  assert.deepEqual([shown.cdnDomain, shown.cdnEnabled], ['cdn.example.org', true]);
  shown = await set('racing --retain image=30d,video=7d,audio=none');
  assert.deepEqual(shown.retention, { days: days({ image: 30, video: 7 }), folders: [] });
  shown = await set('racing --retain path:clips/=7d --retain video=none');
  assert.deepEqual(shown.retention, { days: days({ image: 30 }), folders: [{ prefix: 'clips', days: 7 }] });
  shown = await set('racing --cdn-enabled false --cdn-domain none');
  assert.deepEqual([shown.cdnDomain, shown.cdnEnabled], [null, false]);
  shown = await set('racing --bytes-max 1000000 --files-max 5');
  assert.deepEqual([shown.bytesMax, shown.filesMax], [1_000_000, 5]);
  shown = await set('racing --bytes-max none');
  assert.deepEqual([shown.bytesMax, shown.filesMax], [null, 5]);
  assert.equal(await run('project set racing'), 'Project racing is set.');
});

test('the running service shows what the command line changes', async () => {
  await using service = await startQuietService({ dataDir: environment.TAPEDECK_DATA_DIR });
  const owner = await addPerson(service, { isOwner: true, email: 'shown@example.org' });
  await run('project set default --cdn-domain shown.example.org --cdn-enabled true --retain image=5d');
  const { project } = await owner.call(getProject, { params: { project: 'default' } });
  assert.deepEqual(
    [project.cdnDomain, project.cdnEnabled, project.retention.image],
    ['shown.example.org', true, 5],
  );
});

test('creates a user with a password from the option or from standard input, who can sign in', async () => {
  const made = await runJson<{ email: string; isOwner: boolean }>(
    'user create --email Cli@Example.org --password a-long-password --project default --role admin',
  );
  assert.deepEqual([made.email, made.isOwner], ['cli@example.org', false]);
  const args = ['user', 'create', '--email', 'piped@example.org', '--owner'];
  const piped = await runProcess(args, { environment, input: `${password}\n` });
  assert.deepEqual(piped, { exitCode: 0, printed: 'User piped@example.org is created.\n', complained: '' });
  await using service = await startQuietService({ dataDir: environment.TAPEDECK_DATA_DIR });
  assert.equal(service.setUpCode, null);
  const response = await makeClient(service).send(signIn, { body: { email: 'piped@example.org', password } });
  const cookie = response.headers.get('set-cookie')!.split(';')[0]!;
  assert.equal((await makeClient(service, { cookie }).call(getMe)).user?.isOwner, true);
});

test('migrate reports what it did, which is nothing the second time', async () => {
  await using fresh = await makeDirectory();
  const place = { TAPEDECK_DATA_DIR: `${fresh.path}/data` };
  type Migrated = { applied: { name: string }[] };
  const first = JSON.parse(await tapedeck(['migrate', '--json'], place)) as Migrated;
  assert.ok(first.applied.length > 0);
  assert.equal(await tapedeck(['migrate'], place), 'The database is up to date.\n');
});

test('prints help by option or command, help of a command, and the version', async () => {
  const help = await run('--help');
  for (const name of [
    'serve',
    'config',
    'token create',
    'token list',
    'token revoke',
    'project create',
    'project set',
    'user create',
    'user password',
    'user second-factor-off',
    'backup',
    'restore',
    'migrate',
  ]) {
    assert.ok(help.includes(`tapedeck ${name}`), name);
  }
  assert.equal(await run('help'), help);
  assert.equal(await run('-h'), help);
  assert.match(await run('token create --help'), /--kind/);
  assert.match(await run('--version'), /^\d+\.\d+\.\d+$/);
});

test('resets a lost password on the machine itself, and ends the sessions with the old one', async () => {
  await using service = await startQuietService({ dataDir: environment.TAPEDECK_DATA_DIR });
  const lost = await addPerson(service, { email: 'lost@example.org' });
  const args = ['user', 'password', '--email', 'Lost@example.org'];
  const { exitCode, complained } = await runProcess(args, { environment, input: 'another long password\n' });
  assert.deepEqual([exitCode, complained], [0, '']);
  assert.equal(await lost.refuse(getMe), '401 session_missing');
  const body = { email: 'lost@example.org', password: 'another long password' };
  assert.equal((await makeClient(service).send(signIn, { body })).status, 200);
});

describe('rejects an impossible request in one sentence, with exit code 1, or 2 for wrong usage', () => {
  const id = 'A'.repeat(20);
  const rows: [string[], RegExp][] = [
    [['brew'], /no command "brew". `tapedeck help` lists them/],
    [['token'], /no command "token". Did you mean `tapedeck token create` or/],
    [['tokens', 'create', '--kind', 'all'], /Did you mean `tapedeck token create`\?/],
    [['token', 'brew'], /no command "token brew"/],
    [['token', 'create'], /--kind/],
    [['token', 'create', '--kind', 'root'], /--kind must be one of media, logs, webhook, admin/],
    [['token', 'create', '--kind'], /--kind/],
    [['token', 'create', '--kind', 'media', '--colour', 'red'], /--colour/],
    [['token', 'create', '--kind', 'media', 'extra'], /Write: tapedeck token create/],
    [['token', 'create', '--kind', 'media', '--project', 'nope'], /no such project/],
    [['token', 'create', '--kind', 'media', '--scope', 'root'], /scope "root"/],
    [
      ['token', 'create', '--kind', 'media', '--name', 'red\u001b[31m\nnew line'],
      /one line without control characters/,
    ],
    [['token', 'create', '--kind', 'logs', '--scope', 'type:image'], /only media and webhook tokens/],
    [['token', 'create', '--kind', 'media', '--expires', 'soon'], /--expires must be a span/],
    [['token', 'create', '--kind', 'media', '--expires', '0d'], /future/],
    [['token', 'create', '--kind', 'media', '--expires', '2020-01-01T00:00:00Z'], /future/],
    [['token', 'create', '--kind', 'media', '--expires', '999999999999w'], /--expires must be a span/],
    [['token', 'list', '--project', 'nope'], /no such project/],
    [['token', 'revoke'], /Write: tapedeck token revoke ID/],
    [['token', 'revoke', id], /no token/],
    [['user', 'password'], /--email/],
    [['user', 'password', '--email', 'nobody@example.org', '--password', 'x'.repeat(12)], /No user/],
    [['user', 'password', '--email', 'cli@example.org', '--password', 'short'], /password must have/],
    [['project', 'create'], /Write: tapedeck project create/],
    [['project', 'create', 'Default'], /exists|taken/],
    [['project', 'create', '🎮'], /slug/],
    [['project', 'create', 'Game', '--slug', 'Not A Slug'], /slug/],
    [['project', 'create', 'x'.repeat(101)], /name must have/],
    [['project', 'set', 'nope'], /no such project/],
    [['project', 'set', 'default', '--cdn-domain', 'https://cdn.example.org/'], /host name/],
    [['project', 'set', 'default', '--cdn-enabled', 'perhaps'], /--cdn-enabled must be one of true, false/],
    [['project', 'set', 'default', '--bytes-max', '5GB'], /--bytes-max must be a whole number/],
    [['project', 'set', 'default', '--retain', 'text=3d'], /retention rule/],
    [['project', 'set', 'default', '--retain', 'image'], /retention rule/],
    [['project', 'set', 'default', '--retain', 'image=0d'], /retention rule/],
    [['project', 'set', 'default', '--retain', 'image=-1'], /retention rule/],
    [['project', 'set', 'default', '--retain', 'path:=3d'], /retention rule/],
    [['project', 'set', 'default', '--retain', 'path:/clips=3d'], /path must not begin with a slash/],
    [['project', 'set', 'default', '--retain', 'path:a/../b=3d'], /path must not hold "\."/],
    [['project', 'set', 'default', '--retain', 'path:a//b=3d'], /path must not/],
    [['dataset', 'set', 'game', '--retain', 'xyz'], /^"xyz" is not a length of time; write 30d or none\.$/m],
    [['dataset', 'set', 'game', '--retain', '0d'], /30d or none/],
    [['user', 'create'], /--email/],
    [['user', 'create', '--email', 'nobody', '--password', password], /email address/],
    [['user', 'create', '--email', 'a@example.org', '--password', 'short'], /password must have/],
    [
      ['user', 'create', '--email', 'a@example.org', '--password', password, '--role', 'admin'],
      /belong together/,
    ],
    [
      [
        'user',
        'create',
        '--email',
        'a@example.org',
        '--password',
        password,
        '--project',
        'nope',
        '--role',
        'admin',
      ],
      /no such project/,
    ],
    [['user', 'create', '--email', 'cli@example.org', '--password', password], /address/],
  ];
  for (const [args, expected] of rows) {
    it(`tapedeck ${args.join(' ').slice(0, 90)}`, async () => {
      const { exitCode, printed, complained } = await runTapedeck(args, environment);
      assert.match(complained, expected);
      assert.match(complained, /^[^\n]+\n$/, 'one line');
      // Refusals by the database mean that the line itself is valid.
      const isRefused = /no such project|No user|exists|taken|no token|already|last owner/.test(complained);
      assert.deepEqual([exitCode, printed], [isRefused ? 1 : 2, ''], complained);
    });
  }

  it('tapedeck user create without a password, from an input that ends', async () => {
    const outcome = await runProcess(['user', 'create', '--email', 'b@example.org'], { environment });
    assert.deepEqual([outcome.exitCode, outcome.printed], [2, '']);
    assert.equal(outcome.complained, 'The password must have 10 to 256 characters.\n');
  });
});
