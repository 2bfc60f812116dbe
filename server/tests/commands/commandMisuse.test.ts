/** Every command refuses every invalid line with exit code 2, before it does anything. */
import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { commands } from '../../src/commands/index.ts';
import { makeDirectory } from '../support/service.ts';
import { runTapedeck } from '../support/tapedeck.ts';

const directory = await makeDirectory();
after(() => directory[Symbol.asyncDispose]());
const environment = { TAPEDECK_DATA_DIR: `${directory.path}/not/there` };

type Command = (typeof commands)[number];

const none: NonNullable<Command['positionals']> = { min: 0, max: 0 };

/** Writes a line that is valid as far as its words can tell. */
function writeLine({ name, options, positionals = none }: Command): string[] {
  const needed = Object.entries(options).filter(([, { isRequired }]) => isRequired);
  const values = needed.flatMap(([option, { values: known }]) => [`--${option}`, known?.[0] ?? 'x']);
  return [
    ...name.split(' '),
    ...Array<string>(positionals.min).fill(positionals.values?.[0] ?? 'x'),
    ...values,
  ];
}

function* spoil(command: Command): Generator<string[]> {
  const line = writeLine(command);
  const { name, options, positionals = none } = command;
  yield [...line, '--no-such-option'];
  if (Number.isFinite(positionals.max)) {
    yield [...line, '-?'];
    yield [...line, ...Array<string>(positionals.max + 1).fill('extra')];
  }
  if (positionals.min > 0) yield line.filter((_, index) => index !== name.split(' ').length);
  if (positionals.values) yield [...name.split(' '), 'nonsense'];
  for (const [option, { type, values, isRequired }] of Object.entries(options)) {
    if (type === 'boolean') yield [...line, `--${option}=yes`];
    else yield [...line, `--${option}`];
    if (values) yield [...line, `--${option}`, 'nonsense'];
    if (isRequired) {
      const at = line.indexOf(`--${option}`);
      yield line.toSpliced(at, 2);
    }
  }
}

for (const command of commands) {
  describe(`tapedeck ${command.name}`, () => {
    for (const line of spoil(command)) {
      it(line.join(' '), async () => {
        const { exitCode, printed, complained } = await runTapedeck(line, environment);
        assert.deepEqual([exitCode, printed], [2, ''], complained);
        assert.match(complained, /^[^\n]+\n$/, 'one line');
      });
    }
  });
}

describe('values that no option accepts', () => {
  const rows: string[][] = [
    ['token', 'create', '--kind', 'logs', '--expires', 'soon'],
    ['token', 'create', '--kind', 'logs', '--scope', 'root'],
    ['project', 'set', 'default', '--bytes-max', 'much'],
    ['project', 'set', 'default', '--retain', 'image=soon'],
    ['dataset', 'set', 'game', '--retain', 'soon'],
    ['dataset', 'set', 'no name', '--retain', '3d'],
    ['retention', 'run', '--now', 'soon'],
    ['user', 'create', '--email', 'nobody', '--password', 'a long password'],
    ['user', 'create', '--email', 'a@example.org', '--password', 'short'],
    ['restore', 'somewhere', '--since', 'soon'],
    ['logs', '--since', 'soon'],
    ['logs', '--limit', 'many'],
    ['migrate-to', '--database-url', 'nonsense'],
    ['migrate-to', '--clickhouse-url', 'nonsense'],
    ['backup', 's3://'],
  ];
  for (const line of rows) {
    it(line.join(' '), async () => {
      const { exitCode, printed, complained } = await runTapedeck(line, environment);
      assert.deepEqual([exitCode, printed], [2, ''], complained);
    });
  }
});

test('words that name no command, and help about them', async () => {
  for (const line of ['brew', 'token', 'token brew', 'help brew', 'token brew --help', 'completion']) {
    const { exitCode, printed } = await runTapedeck(line.split(' '), environment);
    assert.deepEqual([exitCode, printed], [2, ''], line);
  }
});
