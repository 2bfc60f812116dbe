/**
 * Answers --help, --version and completion before anything is installed, from texts that `npm run command-line` wrote. Needs
 * nothing but Node.js 20. Exit code 3: the words ask for something else, or for help about a command that is not there.
 */
import { readFileSync } from 'node:fs';

const somethingElse = 3;
const read = path => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
const answer = findAnswer(process.argv.slice(2));
if (answer === undefined) process.exitCode = somethingElse;
else process.stdout.write(answer);

function findAnswer(args) {
  const words = args.filter(arg => arg !== '--json');
  const [first, second, ...others] = words;
  if (first === '--version' || first === '-v') return `${read('../server/package.json').version}\n`;
  const { help, completion } = read('setup/commandLine.json');
  if (first === 'completion' && others.length === 0 && words.length === args.length && completion[second])
    return completion[second];
  const topic = findTopic(words);
  if (topic === undefined) return undefined;
  return topic.length < 2
    ? help[topic[0] ?? '']
    : (help[topic.slice(0, 2).join(' ')] ?? findSingle(help, topic));
}

/** A command of one word, with words of its own behind it; a group takes none. */
function findSingle(help, [first = '']) {
  return Object.keys(help).some(name => name.startsWith(`${first} `)) ? undefined : help[first];
}

/** As `findHelpTopic` of packages/command-line: a test compares them. */
function findTopic(words) {
  const [first, ...others] = words;
  const end = words.indexOf('--');
  const hasFlag = (end === -1 ? words : words.slice(0, end)).includes('--help');
  if (first !== undefined && first !== 'help' && first !== '-h' && !hasFlag) return undefined;
  const named = first === 'help' || first === '-h' ? others : words;
  const firstOption = named.findIndex(word => word.startsWith('-'));
  return firstOption === -1 ? named : named.slice(0, firstOption);
}
