/** Rules about documents: names in them exist, the map covers the whole repository, and each decision is written once. */
import path from 'node:path/posix';
import type { Finding, Rule } from './rule.ts';

const fences = /^```[\s\S]*?^```/gm;
const spans = /`([^`\n]+)`/g;
const links = /\]\(([^)\s#]+)[^)]*\)/g;
const fileName = /^(?![*.])[\w.@/-]*\w\.(?:ts|tsx|mjs|sh)$/;
const folderName = /^[\w.@-]+(?:\/[\w.@-]+)*\/$/;
/** Release notes keep the words of their time. */
const history = 'CHANGELOG.md';
/** Can be removed as a whole, with its tests; mentions elsewhere may stay for a while. */
const removable = /^(?:(?:server\/src\/)?http\/)?legacy\//;

export const namesInDocuments: Rule = {
  name: 'documents name only existing files',
  find: ({ files }) => {
    const paths = [...files.keys()];
    const isThere = (name: string) =>
      paths.some(file =>
        name.endsWith('/') ? `/${file}`.includes(`/${name}`) : `/${file}`.endsWith(`/${name}`),
      );
    return paths
      .filter(file => file.endsWith('.md') && file !== history)
      .flatMap(document =>
        listNames(files.get(document) ?? '', document).flatMap(({ name, line, isLink }): Finding[] => {
          if (isLink ? files.has(name) || /\.(?:png|svg)$/.test(name) : isThere(name) || removable.test(name))
            return [];
          return [{ path: document, line, advice: `names ${name}, which is not there.` }];
        }),
      );
  },
};

export const map: Rule = {
  name: 'the map lists every package and every folder of the service',
  find: ({ files }) => {
    const text = files.get('ARCHITECTURE.md') ?? '';
    const places = new Set(
      [...files.keys()].flatMap(file => /^(?:packages\/[^/]+|server\/src\/[^/]+)\//.exec(file)?.[0] ?? []),
    );
    return [...places]
      .filter(place => !text.includes(`\n${place.replace('server/src/', '  ')}`))
      .map(place => ({
        path: 'ARCHITECTURE.md',
        line: 1,
        advice: `the map lacks ${place}: add a line for it.`,
      }));
  },
};

export const decisions: Rule = {
  name: 'every decision is recorded once, in a file that the index lists',
  find: ({ files }) => {
    const index = files.get('DECISIONS.md') ?? '';
    const places = new Map<string, string>();
    return [...files]
      .filter(([file]) => /(?:^|\/)DECISIONS\.md$/.test(file))
      .flatMap(([path, text]) => {
        const isListed = path === 'DECISIONS.md' || removable.test(path) || index.includes(`(${path})`);
        const findings: Finding[] = isListed
          ? []
          : [{ path, line: 1, advice: 'is missing in the index at the head of DECISIONS.md.' }];
        for (const [line, heading] of text.split('\n').entries()) {
          const title = /^## \S+ (.+)$/.exec(heading)?.[1];
          if (title === undefined) continue;
          const first = places.get(title);
          if (first !== undefined)
            findings.push({ path, line: line + 1, advice: `"${title}" stands in ${first} already.` });
          places.set(title, path);
        }
        return findings;
      });
  },
};

type Name = { name: string; line: number; isLink: boolean };

function listNames(text: string, document: string): Name[] {
  const prose = text.replaceAll(fences, fence => fence.replaceAll(/[^\n]/g, ' '));
  const lineOf = (offset: number) => prose.slice(0, offset).split('\n').length;
  const named = [...prose.matchAll(spans)]
    .map(({ 1: name = '', index }) => ({ name, line: lineOf(index), isLink: false }))
    .filter(({ name }) => fileName.test(name) || (folderName.test(name) && name.length > 1));
  const linked = [...prose.matchAll(links)]
    .filter(([, target = '']) => !/^[a-z]+:/.test(target))
    .map(({ 1: target = '', index }) => ({
      name: path.join(path.dirname(document), target),
      line: lineOf(index),
      isLink: true,
    }));
  return [...named, ...linked];
}
