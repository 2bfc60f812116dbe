/** Evaluates filters on lines and labels. */
import { anchor, compileExpression } from '../expressions.ts';
import { errorLabel, type LabelSet } from '../labels/labelSet.ts';
import { describeDurationMistake, parseGoDuration } from '../language/durations.ts';
import { describeSizeMistake, parseSize } from '../language/sizes.ts';
import {
  type CompareOperator,
  type LabelFilter,
  type LineAlternative,
  type LineFilter,
  type LineOperator,
  listSought,
  type Matcher,
} from '../language/tree.ts';
import { convertFilterMatcher } from './labelExpressions.ts';
import { compileLinePattern, matchesPattern } from './linePatterns.ts';
import { holdsAddressOf, parseNetwork } from './networks.ts';
import { describeFloatMistake, parseGoFloat } from './numbers.ts';

type LinePredicate = (line: string) => boolean;
type LabelPredicate = (labels: LabelSet) => boolean;

export function compileLineFilter(filter: LineFilter): LinePredicate {
  const { operator } = filter;
  const judges = listSought(filter).map(alternative => compileAlternative(operator, alternative));
  const isNegated = operator.startsWith('!');
  return line => judges.some(judge => judge(line)) !== isNegated;
}

function compileAlternative(operator: LineOperator, { text, isNetwork }: LineAlternative): LinePredicate {
  if (isNetwork) {
    const network = parseNetwork(text);
    return line => network !== null && holdsAddressOf(network, line);
  }
  if (operator === '|=' || operator === '!=') return line => line.includes(text);
  if (operator === '|>' || operator === '!>') {
    const pieces = compileLinePattern(text);
    return line => matchesPattern(pieces, line);
  }
  const expression = compileExpression(text);
  return line => expression.test(line);
}

/** Pass '' for an absent label. */
export function compileMatcher({ operator, value }: Matcher): (found: string) => boolean {
  if (operator === '=') return found => found === value;
  if (operator === '!=') return found => found !== value;
  const expression = compileExpression(anchor(value));
  return operator === '=~' ? found => expression.test(found) : found => !expression.test(found);
}

export function compileLabelFilter(filter: LabelFilter): LabelPredicate {
  switch (filter.kind) {
    case 'match': {
      const { name } = filter.matcher;
      const holds = compileMatcher(convertFilterMatcher(filter.matcher));
      if (name === errorLabel) return labels => holds(labels.get(name) ?? '');
      return labels => holds(labels.getOwn(name) ?? '');
    }
    case 'network': {
      const network = parseNetwork(filter.network);
      return labels => {
        if (labels.error !== '') return true; // as in Loki, only text filters drop lines with an error
        const value = labels.getOwn(filter.name);
        if (value === undefined) return false;
        return network !== null && holdsAddressOf(network, value) !== filter.isNegated;
      };
    }
    case 'and': {
      const [left, right] = [compileLabelFilter(filter.left), compileLabelFilter(filter.right)];
      return labels => {
        const isLeft = left(labels); // evaluates both sides: either may record an error
        return right(labels) && isLeft;
      };
    }
    case 'or': {
      const [left, right] = [compileLabelFilter(filter.left), compileLabelFilter(filter.right)];
      return labels => left(labels) || right(labels);
    }
    default:
      return compileComparison(filter);
  }
}

type ComparingFilter = Extract<LabelFilter, { kind: 'number' | 'duration' | 'size' }>;

const readings: Readonly<
  Record<ComparingFilter['kind'], { read(text: string): number | null; refuse(text: string): string }>
> = {
  number: { read: parseGoFloat, refuse: describeFloatMistake },
  duration: { read: parseGoDuration, refuse: describeDurationMistake },
  size: { read: parseSize, refuse: describeSizeMistake },
};

/** Values that the filter cannot compare pass, with an error label. */
function compileComparison({ kind, name, operator, value }: ComparingFilter): LabelPredicate {
  const { read, refuse } = readings[kind];
  return labels => {
    const text = labels.getOwn(name);
    if (text === undefined) return false;
    const found = read(text);
    if (found !== null) return compare(operator, found, value);
    if (labels.error === '') labels.fail('LabelFilterErr', refuse(text));
    return true;
  };
}

export function compare(operator: CompareOperator, left: number, right: number): boolean {
  switch (operator) {
    case '==':
      return left === right;
    case '!=':
      return left !== right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
    case '<':
      return left < right;
    case '<=':
      return left <= right;
  }
}
