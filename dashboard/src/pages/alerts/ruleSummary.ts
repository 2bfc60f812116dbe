/** Describes in a sentence what a rule watches for. */

import { formatSeconds } from '../../format/durations.ts';
import { formatCount, formatMeasure } from '../../format/numbers.ts';
import type { Rule } from '../../queries/rules.ts';

export type RuleQuestion = Pick<Rule, 'kind' | 'query' | 'dataset' | 'by' | 'condition' | 'windowSeconds'>;

/** `isCode`: shown as code, such as a query. */
type WordsPiece = { text: string; isCode: boolean };

export function describeRule(rule: RuleQuestion): readonly WordsPiece[] {
  const { kind, condition, windowSeconds } = rule;
  const { op, value = 0, factor = 0 } = condition;
  const span = formatSeconds(windowSeconds);
  switch (kind) {
    case 'count':
      return [
        ...(op === '<'
          ? subject(rule, value === 1 ? 'no entry' : `fewer than ${formatCount(value)} entries`)
          : subject(rule, value === 1 ? 'an entry' : `${formatCount(value)} or more entries`)),
        ...words(` in ${span}`),
        ...split(rule),
      ];
    case 'change':
      return [
        ...subject(rule, value === 1 ? 'an entry' : `${formatCount(value)} or more entries`),
        ...words(` in ${span}, ${formatMeasure(factor)}× as many as in the previous ${span}`),
        ...split(rule),
      ];
    case 'new_pattern':
      return [...words('a new pattern among '), ...subject(rule, 'entries')];
    case 'issue':
      return [...words('a new or returning issue among '), ...subject(rule, 'errors')];
    case 'session_quiet':
      return words('a game server that stops reporting');
    case 'storage':
      return words(`${formatMeasure(value)} % of a quota in use`);
  }
}

function subject({ query, dataset }: RuleQuestion, counted: string): readonly WordsPiece[] {
  const isOne = /^(?:an|no) /.test(counted);
  return [
    ...words(counted),
    ...(query === '' ? [] : [...words(isOne ? ' that matches ' : ' that match '), code(query)]),
    ...(dataset === null ? [] : [...words(' in the dataset '), code(dataset)]),
  ];
}

function split({ by }: RuleQuestion): readonly WordsPiece[] {
  return by === null ? [] : [...words(', for each '), code(by)];
}

function words(text: string): readonly WordsPiece[] {
  return [{ text, isCode: false }];
}

function code(text: string): WordsPiece {
  return { text, isCode: true };
}
