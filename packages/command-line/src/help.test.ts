/** Tests finding and showing the requested help. */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { describeCommand, describeCommands, findHelpTopic, findTopic, listGroups } from './index.ts';

const command = (name: string) =>
  ({
    name,
    usage: 'NAME --to T,…',
    about: `Do ${name}.`,
    options: {
      to: { type: 'string', short: 't', about: 'what for' },
      colour: { type: 'string', values: ['red', 'blue'], about: 'its colour' },
      quiet: { type: 'boolean', about: 'say nothing' },
    },
    positionals: { min: 1, max: 1 },
  }) as const;
const commands = ['tag add', 'tag remove', 'find'].map(command);

describe('the topic of', () => {
  const rows: [string, string[] | null][] = [
    ['', []],
    ['help', []],
    ['--help', []],
    ['-h', []],
    ['help tag add', ['tag', 'add']],
    ['tag add --help', ['tag', 'add']],
    ['tag add --to x --help', ['tag', 'add']],
    ['tag --help', ['tag']],
    ['find help', null],
    ['find -- --help', null],
    ['find -h', null],
  ];
  for (const [line, expected] of rows) {
    it(line || 'no word', () => {
      assert.deepEqual(findHelpTopic(line.split(' ').filter(word => word !== '')), expected);
    });
  }
});

test('a topic is a command, a group or everything', () => {
  const names = (topic: string[]) => findTopic(commands, topic)?.map(({ name }) => name) ?? null;
  assert.deepEqual(names([]), ['tag add', 'tag remove', 'find']);
  assert.deepEqual(names(['tag']), ['tag add', 'tag remove']);
  assert.deepEqual(names(['tag', 'remove']), ['tag remove']);
  assert.deepEqual(names(['find', 'anything']), ['find']);
  assert.deepEqual(names(['tag', 'brew']), null);
  assert.deepEqual(names(['brew']), null);
  assert.deepEqual(listGroups(commands), ['tag']);
});

test('lists each command with its usage and summary', () => {
  assert.equal(
    describeCommands('tool', [command('tag add')]),
    '  tool tag add NAME --to T,…\n      Do tag add.',
  );
});

test('shows a command with its options', () => {
  const shown = [
    'Usage: tool find NAME --to T,…',
    '',
    'Do find.',
    '',
    'Options:',
    '  -t, --to VALUE       what for',
    '  --colour red|blue    its colour',
    '  --quiet              say nothing',
  ].join('\n');
  assert.equal(
    describeCommand('tool', command('find')).replace(/ +(?=what for|its|say)/g, '    '),
    shown.replace(/ +(?=what for|its|say)/g, '    '),
  );
});
