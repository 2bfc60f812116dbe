/** Rules about words: names of files that say nothing, and words that mean something only outside of the repository. */
import { readComments } from '../../../scripts/sources.ts';
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

/** The rules name the words they forbid. */
const ownFolder = 'server/tests/tidy';

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
  name: 'files are nouns that say something',
  find: ({ files }) =>
    [...files.keys()].flatMap((path): Finding[] => {
      const words = path
        .replaceAll(/([a-z])([A-Z])/g, '$1-$2')
        .toLowerCase()
        .split(/[/._-]+/);
      const empty = words.find(word => emptyNames.has(word));
      if (empty === undefined) return [];
      return [{ path, line: 1, advice: `"${empty}" says nothing: name the thing that the file holds.` }];
    }),
};

export const words: Rule = {
  name: 'every word is understood by who has only the repository',
  find: ({ files, sources }) => {
    const commentsOf = new Map(sources.map(source => [source.path, readComments(source)]));
    return [...files]
      .filter(([path]) => !path.startsWith(ownFolder))
      .flatMap(([path, text]) => {
        const prose = path.endsWith('.md') ? text : (commentsOf.get(path) ?? '');
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
