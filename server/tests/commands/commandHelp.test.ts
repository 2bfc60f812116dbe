/** Help and version work before anything is installed, and print the same afterwards. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it, test } from 'node:test';
import { isCommandLineFresh } from '../../../scripts/commandLine.ts';
import { repositoryRoot } from '../../../scripts/repository.ts';
import { commands } from '../../src/commands/index.ts';
import { makeDirectory } from '../support/service.ts';
import { runTapedeck } from '../support/tapedeck.ts';

const clone = await makeDirectory();
after(() => clone[Symbol.asyncDispose]());
before(async () => {
  await cp(path.join(repositoryRoot, 'scripts'), path.join(clone.path, 'scripts'), { recursive: true });
  await mkdir(path.join(clone.path, 'server'));
  await cp(path.join(repositoryRoot, 'server/package.json'), path.join(clone.path, 'server/package.json'));
});

function runFresh(words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync('sh', ['scripts/tapedeck.sh', ...words], {
    cwd: clone.path,
    encoding: 'utf8',
  });
  return { exitCode: status, printed: stdout, complained: stderr };
}

const groups = [...new Set(commands.map(({ name }) => name.split(' ')[0]!))];
const lines = [
  '--help',
  'help',
  '-h',
  '',
  '--version',
  '-v',
  'help --json',
  'completion bash',
  'completion fish',
  'completion zsh',
  'logs lost --since 1h --help',
  'token create --kind media --help',
  'help backup somewhere',
  ...[...groups, ...commands.map(({ name }) => name)].flatMap(name => [`help ${name}`, `${name} --help`]),
];

describe('in a clone without installed packages, prints the same as after the installation:', () => {
  for (const line of lines) {
    it(`tapedeck ${line}`, async () => {
      const words = line.split(' ').filter(word => word !== '');
      const { exitCode, printed } = runFresh(words);
      const expected = await runTapedeck(words, {});
      assert.deepEqual({ exitCode, printed }, { exitCode: 0, printed: expected.printed });
      assert.equal(expected.exitCode, 0);
    });
  }

  const mistaken = [
    'tokn',
    'serv',
    'tokne craete',
    'token',
    'token creat',
    'token creat --json',
    'user list-all',
    'quite other',
    'help tokn',
    'help token creat',
    'tokn --help',
    '--url http://a',
    'tok\u00e9n list',
    'toString',
    '__proto__',
    'help toString',
    'lgos error --since 1h',
    '--',
    '-x',
  ];
  for (const line of mistaken) {
    it(`tapedeck ${line} is not a command`, async () => {
      const { exitCode, printed, complained } = runFresh(line.split(' '));
      const expected = await runTapedeck(line.split(' '), {});
      assert.deepEqual([exitCode, printed, complained], [2, '', expected.complained]);
      assert.equal(expected.exitCode, 2);
    });
  }

  it('nothing was installed in the meantime', async () => {
    assert.deepEqual((await readdir(clone.path)).sort(), ['scripts', 'server']);
  });
});

test('the help of a command lists its options, that of a group its commands', async () => {
  for (const { name, options } of commands) {
    const { printed } = await runTapedeck([...name.split(' '), '--help'], {});
    for (const option of Object.keys(options))
      assert.ok(printed.includes(`--${option}`), `${name} --${option}`);
  }
  const { printed } = await runTapedeck(['help', 'token'], {});
  assert.ok(['create', 'list', 'revoke'].every(word => printed.includes(`tapedeck token ${word}`)));
  assert.ok(!printed.includes('tapedeck user'));
});

test('the texts shown before setup match those of the commands', async () => {
  assert.ok(await isCommandLineFresh(), 'run `npm run command-line`');
});
