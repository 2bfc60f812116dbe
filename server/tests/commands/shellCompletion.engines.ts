/** Tests completion in real bash, zsh and fish shells. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { completedShells } from '@tapedeck/command-line';
import { makeDirectory } from '../support/service.ts';
import { tapedeck } from '../support/tapedeck.ts';

const directory = await makeDirectory();
after(() => directory[Symbol.asyncDispose]());
type Shell = (typeof completedShells)[number];
const scriptOf = (shell: Shell) => path.join(directory.path, shell);

before(async () => {
  for (const shell of completedShells)
    await writeFile(scriptOf(shell), await tapedeck(['completion', shell], {}));
  await writeFile(path.join(directory.path, 'backup-of-may'), '');
});

function run(program: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: directory.path, encoding: 'utf8' });
  assert.deepEqual([status, stderr], [0, '']);
  return stdout;
}

/** Takes the words before the cursor; the last one is incomplete. */
const complete: Record<'bash' | 'fish', (words: readonly string[]) => string[]> = {
  bash: words => {
    const line =
      'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tapedeck; for word in "${' +
      'COMPREPLY[@]}"; do echo "$word"; done';
    return run('bash', ['--norc', '-c', line, scriptOf('bash'), ...words]).split('\n');
  },
  fish: words => {
    const line = 'source $argv[1]; complete -C "$argv[2]"';
    const shown = run('fish', ['--no-config', '-c', line, scriptOf('fish'), words.join(' ')]);
    return shown.split('\n').map(found => found.split('\t', 1)[0]!);
  },
};

const rows: [line: string, offered: string[], withheld: string[]][] = [
  ['tapedeck ', ['serve', 'token', 'project', 'help', 'completion'], ['create', '--kind']],
  ['tapedeck tok', ['token'], ['serve']],
  ['tapedeck token ', ['create', 'list', 'revoke'], ['serve', 'set']],
  ['tapedeck help ', ['token', 'serve'], []],
  ['tapedeck help user ', ['second-factor-off'], ['serve']],
  ['tapedeck token create --', ['--kind', '--expires', '--json', '--help'], ['--retain']],
  ['tapedeck token create --kind ', ['media', 'logs', 'webhook', 'admin'], ['--kind', 'create']],
  ['tapedeck token create --kind w', ['webhook'], ['media']],
  ['tapedeck logs --order ', ['asc', 'desc'], ['--order']],
  ['tapedeck user create --owner --role ', ['owner', 'viewer'], ['media']],
  ['tapedeck project set arena --cdn-enabled ', ['true', 'false'], []],
  ['tapedeck completion ', ['bash', 'zsh', 'fish'], ['serve']],
  ['tapedeck restore somewhere --only ', ['files', 'logs'], []],
];

for (const shell of ['bash', 'fish'] as const) {
  describe(`${shell} offers`, () => {
    for (const [line, offered, withheld] of rows) {
      it(`${offered.join(', ')} after "${line}"`, () => {
        const found = complete[shell](line.split(' '));
        assert.deepEqual(
          offered.filter(word => !found.includes(word)),
          [],
        ); // the list is complete
        assert.deepEqual(
          withheld.filter(word => found.includes(word)),
          [],
        );
      });
    }
  });
}

/** Types into the shell on a terminal; the program prints the words it was run with. */
async function typeInto(shell: 'bash' | 'zsh', line: string): Promise<string> {
  const program = 'tapedeck() { echo "ran <$*>"; }';
  const starts = {
    bash: `bash --norc -i`,
    zsh: `zsh -f -i`,
  };
  const load = shell === 'zsh' ? 'autoload -Uz compinit; compinit -u -D; ' : '';
  const child = spawn('script', ['--quiet', '--return', '--command', starts[shell], '/dev/null'], {
    cwd: directory.path,
    env: { ...process.env, TERM: 'dumb', PS1: '$ ' },
  });
  child.stdin.write(`${load}${program}; source '${scriptOf(shell)}'; echo loa''ded\n`);
  let shown = '';
  let isTyped = false;
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    shown += chunk;
    if (!isTyped && shown.includes('loaded\r\n')) {
      isTyped = true;
      child.stdin.write(`${line}\n`);
    }
    if (isTyped && !child.stdin.writableEnded && /ran <[^*]*>/.test(shown)) child.stdin.end('exit\n');
  }
  return /ran <([^*>]*)>/.exec(shown.slice(shown.indexOf('loaded\r\n')))?.[1] ?? shown;
}

describe('on a terminal, the Tab key completes', () => {
  const typed: [string, string][] = [
    ['tapedeck tok\tcr\t--ki\tweb\t', 'token create --kind webhook'],
    ['tapedeck logs --ord\tde\t', 'logs --order desc'],
    ['tapedeck completion zs\t', 'completion zsh'],
    ['tapedeck backup backup-of\t', 'backup backup-of-may'],
  ];
  for (const shell of ['bash', 'zsh'] as const) {
    for (const [line, expected] of typed) {
      it(`in ${shell}: ${expected}`, { timeout: 30_000 }, async () => {
        assert.equal((await typeInto(shell, line)).trim(), expected);
      });
    }
  }
});

it('every shell reads its script without output', async () => {
  for (const shell of completedShells) {
    const child = spawn(shell, ['-n', scriptOf(shell)]);
    assert.equal(await text(child.stderr), '', shell);
  }
});
