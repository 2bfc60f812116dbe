/** Reads this repository's files, and parses those that hold code. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Comment, type Node, parseSync, visitorKeys } from 'oxc-parser';
import { listRepositoryFiles, repositoryRoot } from './repository.ts';

export type Source = {
  path: string;
  text: string;
  comments: readonly Comment[];
  /** Every node of the file, parents before children. */
  nodes: readonly Node[];
  lineOf(offset: number): number;
};

export type Repository = { files: ReadonlyMap<string, string>; sources: readonly Source[] };

const textEndings =
  /(^|\/)(\.npmrc|\.ci\/run|Caddyfile|Containerfile|[^/]+\.(ts|tsx|mjs|js|json|md|sh|css|html|ya?ml|txt|conf|xml|service|tpl|toml|py|luau?|go|java|cs))$/;
const codeEndings = /\.(ts|tsx|mjs)$/;

export function readRepository(): Repository {
  const paths = listRepositoryFiles().filter(file => textEndings.test(file));
  return makeRepository(
    Object.fromEntries(paths.map(file => [file, readFileSync(path.join(repositoryRoot, file), 'utf8')])),
  );
}

export function makeRepository(files: Readonly<Record<string, string>>): Repository {
  const sources = Object.entries(files)
    .filter(([file]) => codeEndings.test(file))
    .map(([file, text]) => parseSource(file, text));
  return { files: new Map(Object.entries(files)), sources };
}

const supportPlaces =
  /(^|\/)(tests|conformance|samples)\/|^(bench|scripts)\/|(^|\/)conformance\.ts$|\.config\.ts$/;

/** Returns whether a file is a test or only serves tests, benchmarks or builds: by its folder, or by "for tests" in its opening comment. */
export function isTestSupport(file: string, { files }: Repository): boolean {
  if (isTest(file) || supportPlaces.test(file)) return true;
  const opening = /^\/\*\*[\s\S]*?\*\//.exec(files.get(file) ?? '')?.[0] ?? '';
  return /\bfor (tests|builds)\b/i.test(opening);
}

export function isTest(file: string): boolean {
  return /\.(test|engines)\.tsx?$/.test(file);
}

/** Returns the text with everything but comments blanked, so that line numbers stay. */
export function readComments({ text, comments }: Source): string {
  let prose = '';
  let position = 0;
  for (const { start, end } of comments) {
    prose += blank(text.slice(position, start)) + text.slice(start, end);
    position = end;
  }
  return prose;
}

/** How other languages mark comments: to the end of a line, and between two marks. */
const commentMarks: readonly { files: RegExp; line?: string; block?: [string, string] }[] = [
  { files: /\.css$/, block: ['/*', '*/'] },
  { files: /\.(js|go|java|cs)$/, line: '//', block: ['/*', '*/'] },
  { files: /\.luau?$/, line: '--' },
  { files: /\.py$/, line: '#', block: ['"""', '"""'] },
  {
    files: /(^|\/)(Caddyfile|Containerfile|run)$|\.(sh|ya?ml|toml|conf|service)$/,
    line: '#',
  },
];

/** Like `readComments`, for files that are not parsed: marks count at the start of a line or after a space. null for other files. */
export function readOtherComments(file: string, text: string): string | null {
  const marks = commentMarks.find(({ files }) => files.test(file));
  if (marks === undefined) return null;
  const quote = (mark: string) => mark.replaceAll(/[*/]/g, '\\$&');
  const line = marks.line && `${quote(marks.line)}(?=[\\s!-]).*`;
  const block = marks.block && `${quote(marks.block[0])}[^]*?${quote(marks.block[1])}`;
  const comment = new RegExp(`(?<=^|\\s)(?:${[block, line].filter(Boolean).join('|')})`, 'gm');
  let prose = '';
  let position = 0;
  for (const { 0: found, index } of text.matchAll(comment)) {
    prose += blank(text.slice(position, index)) + found;
    position = index + found.length;
  }
  return prose + blank(text.slice(position));
}

function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ');
}

function parseSource(file: string, text: string): Source {
  const { program, comments, errors } = parseSync(file, text);
  if (errors[0]) throw new Error(`${file} cannot be parsed: ${errors[0].message}`);
  const lineStarts = [0, ...[...text.matchAll(/\n/g)].map(match => match.index + 1)];
  return {
    path: file,
    text,
    comments,
    nodes: listNodes(program),
    lineOf: offset => findLine(lineStarts, offset),
  };
}

/** Counts the lines that begin at the offset or before it. Rules ask for each of a million nodes, so it halves the list. */
function findLine(lineStarts: readonly number[], offset: number): number {
  let [low, high] = [0, lineStarts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((lineStarts[middle] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

function listNodes(root: Node): Node[] {
  const nodes: Node[] = [];
  const visit = (node: Node): void => {
    nodes.push(node);
    const fields: object = node;
    for (const key of visitorKeys[node.type] ?? []) {
      const held: Node | Node[] | null = Reflect.get(fields, key);
      if (!Array.isArray(held)) visitAny(held);
      else for (const child of held) visitAny(child);
    }
  };
  const visitAny = (node: Node | null): void => {
    if (node) visit(node);
  };
  visit(root);
  return nodes;
}
