/**
 * Answers --help, --version, completion and unknown commands before anything is installed, from texts that `npm run command-line` wrote. Needs only
 * Node.js 20. Exit code 3: the words name a command.
 */
import { readFileSync } from 'node:fs';
import { describeUnknown, findCommand } from './setup/unknownCommands.mjs';

const unknown = 2; // the service's exit code for invalid command lines
const somethingElse = 3;
const read = path => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
const texts = read('setup/commandLine.json');
const help = new Map(Object.entries(texts.help));
const completion = new Map(Object.entries(texts.completion));
// A group of commands, such as `token`, also has a help text.
const commands = [...help.keys()].filter(name => name !== '' && !isGroup(name));
process.exitCode = answer(process.argv.slice(2));

function answer(args) {
  const words = args.filter(arg => arg !== '--json');
  const [first, second, ...others] = words;
  if (first === '--version' || first === '-v') return print(`${read('../server/package.json').version}\n`);
  if (first === 'completion' && others.length === 0 && words.length === args.length && completion.has(second))
    return print(completion.get(second));
  const topic = findTopic(words);
  if (topic === undefined) return findCommand(commands, words) ? somethingElse : complain(words);
  const text = findHelp(topic);
  return text === undefined ? complain(topic) : print(text);
}

function print(text) {
  process.stdout.write(text);
  return 0;
}

function complain(words) {
  process.stderr.write(`${describeUnknown(commands, words)}\n`);
  return unknown;
}

function findHelp(topic) {
  const [first = ''] = topic;
  if (topic.length < 2) return help.get(first);
  // A command of one word may have arguments; a group has none.
  return help.get(topic.slice(0, 2).join(' ')) ?? (isGroup(first) ? undefined : help.get(first));
}

function isGroup(name) {
  return [...help.keys()].some(other => other.startsWith(`${name} `));
}

/** The same as `findHelpTopic` in packages/command-line; a test compares them. */
function findTopic(words) {
  const [first, ...others] = words;
  const end = words.indexOf('--');
  const hasFlag = (end === -1 ? words : words.slice(0, end)).includes('--help');
  if (first !== undefined && first !== 'help' && first !== '-h' && !hasFlag) return undefined;
  const named = first === 'help' || first === '-h' ? others : words;
  const firstOption = named.findIndex(word => word.startsWith('-'));
  return firstOption === -1 ? named : named.slice(0, firstOption);
}
