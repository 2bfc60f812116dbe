/** Rules about words: file names that say nothing, and words that mean something only outside the repository. */
import { readComments, readOtherComments } from '../../../scripts/sources.ts';
import type { Finding, Rule } from './rule.ts';

const emptyNames = new Set([
  'util',
  'utils',
  'helper',
  'helpers',
  'common',
  'manager',
  'managers',
  'base',
  'misc',
]);

/** Words of our own that we replaced: name files after the word on the right. */
const replacedWords: Readonly<Record<string, string>> = {
  basis: 'bootstrap',
  callers: 'authentication',
  careless: 'lenient',
  crowds: 'digest',
  door: 'ingest, authentication or proxy',
  doorkeeper: 'session',
  doors: 'ingest',
  inks: 'contrast',
  joining: 'invitation',
  keeper: 'store',
  knowledge: 'completion data',
  plain: 'direct or fast',
  postman: 'notifiers',
  room: 'routes, navigation, quota or disk space',
  rooms: 'routes, navigation, quota or disk space',
  seals: 'signed tokens',
  surroundings: 'shared attributes',
  telling: 'alerting',
  ways: 'methods or identity',
};

/** The rules name the words they forbid, and guides the programs they describe. */
const namingFiles = /^server\/tests\/tidy\/|^docs\/connect\/assistants[\w-]*\.md$/;

type Word = { pattern: RegExp; where: 'everywhere' | 'prose'; advice: string };

const foreignWords: readonly Word[] = [
  {
    pattern: /(?<![\w.~*:)}\]-])\/(?:home|Users|root|work|workspace|opt\/node\d*)\/[\w.-]+/,
    where: 'everywhere',
    advice: 'is a path of one machine: write it relative to the repository.',
  },
  {
    pattern: /\bregistry\.[\w-]+(?:\.[\w-]+)+|\bdeb\.debian\.org\b/,
    where: 'everywhere',
    advice: 'is the host of a registry: leave it to the settings of the machine.',
  },
  {
    pattern: /(?:^|[\s(])#\d{1,5}\b|\b(?:issue|ticket|pull request)s? #?\d+\b/i,
    where: 'prose',
    advice: 'is a number in a tracker: say the reason itself.',
  },
  {
    pattern: /\b(?:TODO|FIXME|XXX|HACK)\b/,
    where: 'prose',
    advice: 'is a promise: keep it now, or leave it out.',
  },
  {
    pattern: /\b(?:sub-?agents?|worktrees?|chat ?gpt|claude|copilot|language models?|AI assistants?)\b/i,
    where: 'everywhere',
    advice: 'tells how the work was done: say what holds now.',
  },
];

export const fileNames: Rule = {
  name: 'file names are meaningful nouns',
  find: ({ files }) =>
    [...files.keys()].flatMap((path): Finding[] => {
      const empty = listWords(path).find(word => emptyNames.has(word));
      if (empty === undefined) return [];
      return [{ path, line: 1, advice: `"${empty}" says nothing: name the thing that the file holds.` }];
    }),
};

export const tradeWords: Rule = {
  name: "file names use the trade's words",
  find: ({ sources }) =>
    sources.flatMap(({ path }): Finding[] => {
      const word = listWords(path).find(each => Object.hasOwn(replacedWords, each));
      if (word === undefined) return [];
      return [{ path, line: 1, advice: `"${word}" is our own word: say ${replacedWords[word]}.` }];
    }),
};

function listWords(path: string): string[] {
  return path
    .replaceAll(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[/._-]+/);
}

export const words: Rule = {
  name: 'every word makes sense with only the repository',
  find: ({ files, sources }) => {
    const commentsOf = new Map(sources.map(source => [source.path, readComments(source)]));
    return [...files]
      .filter(([path]) => !namingFiles.test(path))
      .flatMap(([path, text]) => {
        const comments = commentsOf.get(path) ?? readOtherComments(path, text);
        const prose = path.endsWith('.md') ? text : (comments ?? '');
        return foreignWords.flatMap(word => findWord(path, word.where === 'prose' ? prose : text, word));
      });
  },
};

function findWord(path: string, text: string, { pattern, advice }: Word): Finding[] {
  return text.split('\n').flatMap((line, index): Finding[] => {
    const match = pattern.exec(line);
    return match ? [{ path, line: index + 1, advice: `"${match[0].trim()}" ${advice}` }] : [];
  });
}
