/** Tests typing mistakes and the commands that they mean. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { suggestCommands } from './index.ts';

const names = ['serve', 'logs', 'token create', 'token list', 'token revoke', 'user create'];
const commands = names.map(name => ({
  name,
  usage: '',
  about: '',
  options: {},
  positionals: { min: 0, max: 0 },
}));

describe('suggests commands for unknown words', () => {
  const rows: [string, string[]][] = [
    ['tokens create --kind all', ['token create']],
    ['token craete', ['token create']],
    ['token', ['token create', 'token list', 'token revoke']],
    ['token make', ['token create', 'token list', 'token revoke']],
    ['users create', ['user create']],
    ['log error', ['logs']],
    ['sevre', ['serve']],
    ['destroy', []],
    ['', []],
  ];
  for (const [line, expected] of rows) {
    it(line || 'none', () => assert.deepEqual(suggestCommands(commands, line.split(' ')), expected));
  }
});
