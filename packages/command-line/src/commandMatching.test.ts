/** Tests lines and what is parsed from them: command, options, and words. */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { findCommand, Misuse, readWords } from './index.ts';

const find = {
  name: 'find',
  usage: '[WORD …] [-n COUNT]',
  about: 'Find what holds the words.',
  options: {
    count: { type: 'string', short: 'n', about: 'so many' },
    follow: { type: 'boolean', short: 'f', about: 'what comes' },
  },
  positionals: { min: 0, max: Number.POSITIVE_INFINITY },
} as const;
const tagAdd = {
  name: 'tag add',
  usage: 'NAME --to T,…',
  about: 'Add a tag.',
  options: {
    to: { type: 'string', multiple: true, about: 'what is tagged' },
    colour: { type: 'string', values: ['red', 'blue'], about: 'its colour' },
  },
  positionals: { min: 1, max: 1 },
} as const;
const commands = [find, tagAdd];

const read = (line: readonly string[]) => {
  const command = findCommand(commands, line);
  assert.ok(command);
  return readWords('tool', command, line);
};

test('finds a command by all words of its name', () => {
  assert.equal(findCommand(commands, ['tag', 'add', 'x']), tagAdd);
  assert.equal(findCommand(commands, ['tag']), undefined);
  assert.equal(findCommand(commands, []), undefined);
});

describe('words', () => {
  const rows: [string[], string[], string | undefined, boolean][] = [
    [[], [], undefined, false],
    [['a', '-b', 'c'], ['a', '-b', 'c'], undefined, false],
    [['-n', '5', 'a'], ['a'], '5', false],
    [['-n5', '-f', '-name:x'], ['-name:x'], '5', true],
    [['--count=7', '-fast', '-'], ['-fast', '-'], '7', false],
    [['--', '--count', '-f'], ['--count', '-f'], undefined, false],
  ];
  for (const [line, positionals, count, follow] of rows) {
    it(line.join(' ') || 'none', () => {
      const given = read(['find', ...line]);
      assert.deepEqual(
        [given.positionals, given.text('count'), given.flag('follow')],
        [positionals, count, follow],
      );
    });
  }
});

test('accepts a list as repeated options or separated by commas', () => {
  assert.deepEqual(read(['tag', 'add', 'x', '--to', 'a, b,', '--to', 'c']).list('to'), ['a', 'b', 'c']);
  assert.deepEqual(read(['tag', 'add', 'x']).list('to'), []);
});

describe('names the usage when a command gets unexpected words', () => {
  const rows = [
    ['tag', 'add'],
    ['tag', 'add', 'a', 'b'],
    ['tag', 'add', 'a', '-b'],
    ['tag', 'add', 'a', '--size'],
    ['tag', 'add', 'a', '--to'],
    ['find', '--colour', 'red'],
  ];
  for (const line of rows) {
    it(line.join(' '), () => {
      assert.throws(
        () => read(line),
        error => error instanceof Misuse && /Write: tool (tag add|find) /.test(error.message),
      );
    });
  }
});

test('lists the allowed values of an option when the given one is wrong', () => {
  assert.equal(read(['tag', 'add', 'x', '--colour', 'red']).text('colour'), 'red');
  const message = '--colour must be one of red, blue.';
  assert.throws(() => read(['tag', 'add', 'x', '--colour', 'green']), { message });
});

test('requires required options and known words', () => {
  const command = {
    ...tagAdd,
    options: { to: { type: 'string', isRequired: true, about: '' } },
    positionals: { min: 1, max: 1, values: ['a', 'b'] },
  } as const;
  const take = (...words: string[]) => readWords('tool', command, ['tag', 'add', ...words]).positionals;
  assert.deepEqual(take('a', '--to', 'x'), ['a']);
  assert.throws(() => take('a'), /^Error: --to is missing\. Write: tool tag add/);
  assert.throws(() => take('c', '--to', 'x'), { message: '"c" must be one of a, b.' });
});
