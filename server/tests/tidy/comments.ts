/** Rules about required comments: what a file owns, why a type is asserted, why a check is silenced. */
import type { Node } from 'oxc-parser';
import { isTestSupport, readOtherComments, type Source } from '../../../scripts/sources.ts';
import type { Finding, Rule } from './rule.ts';

export const openingSentences: Rule = {
  name: 'a file opens with a sentence about what it owns',
  find: ({ sources }) =>
    sources.flatMap(({ path, text }): Finding[] => {
      const opening = /^(?:#!.*\n)?\/\*\*([\s\S]*?)\*\//.exec(text)?.[1];
      if (opening !== undefined && /[\p{L}`][^.?!]{8,}[.?!]/u.test(opening)) return [];
      const advice = 'begin the file with a sentence in /** … */ that says what it owns.';
      return [{ path, line: 1, advice }];
    }),
};

/** Helm joins its templates into documents, and a manifest's fields say what it is. */
const withoutOpening = /^deploy\/helm\/|(^|\/)(fxmanifest\.lua|pyproject\.toml)$/;

export const otherOpenings: Rule = {
  name: 'a file in another language opens with a sentence, too',
  find: ({ files, sources }) => {
    const parsed = new Set(sources.map(({ path }) => path));
    return [...files]
      .filter(([path]) => !parsed.has(path) && !withoutOpening.test(path))
      .flatMap(([path, text]): Finding[] => {
        const start = text
          .replace(/^#!.*\n/, '')
          .trimStart()
          .slice(0, openingCharacters);
        const opening = readOtherComments(path, start);
        if (opening === null || /^\S\W*[\p{L}`][^.?!]{8,}[.?!:]/u.test(opening)) return [];
        return [{ path, line: 1, advice: 'begin the file with a comment that says what it is for.' }];
      });
  },
};

const openingCharacters = 500; // more than an opening comment has

/** `as const` narrows and cannot lie; any other `as` can. */
export const reasonsOfAssertions: Rule = {
  name: 'each `as` has a reason',
  find: repository =>
    repository.sources
      .filter(({ path }) => !isTestSupport(path, repository))
      .flatMap(source =>
        source.nodes.flatMap((node): Finding[] => {
          if (node.type !== 'TSAsExpression' && node.type !== 'TSTypeAssertion') return [];
          const type = node.typeAnnotation;
          const isConst = source.text.slice(type.start, type.end) === 'const';
          if (isConst || hasReason(source, node)) return [];
          const advice =
            'say in a comment in or right before this statement why the assertion holds; or do without it.';
          return [{ path: source.path, line: source.lineOf(type.end), advice }];
        }),
      ),
};

export const silencedChecks: Rule = {
  name: 'no check is disabled without a reason',
  find: ({ sources }) =>
    sources.flatMap(source =>
      source.comments.flatMap((comment): Finding[] => {
        const mark = /@ts-(?:ignore|nocheck)|@ts-expect-error\s*$|biome-ignore(?!.*:\s*\S.+)/.exec(
          comment.value,
        );
        if (!mark) return [];
        const advice = `"${mark[0].trim()}" silences a check: correct the code, or give the reason (@ts-expect-error why, biome-ignore rule: why).`;
        return [{ path: source.path, line: source.lineOf(comment.start), advice }];
      }),
    ),
};

function hasReason({ comments, nodes, lineOf }: Source, assertion: Node): boolean {
  const statement = nodes.findLast(
    ({ type, start, end }) =>
      type !== 'BlockStatement' &&
      /Statement$|Declaration$/.test(type) &&
      start <= assertion.start &&
      end >= assertion.end,
  );
  const firstLine = lineOf(statement?.start ?? assertion.start) - 1;
  const lastLine = lineOf(assertion.end);
  return comments.some(({ start, end }) => lineOf(end) >= firstLine && lineOf(start) <= lastLine);
}
