/** Parses selectors and pipeline stages. */
import { compileExpression } from '../expressions.ts';
import { findTwice } from '../labels/names.ts';
import { explainMistakes, parseMistake } from '../mistakes.ts';
import { compileParserPattern } from '../pipeline/linePatterns.ts';
import type { Cursor } from './cursor.ts';
import { readLabelFilter, readMatcher } from './labelFilters.ts';
import type {
  ChosenLabel,
  Extraction,
  LabelFormat,
  LineAlternative,
  LineFilter,
  LineOperator,
  Matcher,
  Stage,
} from './tree.ts';

/** Stages that count as one part, plus the parts within. */
const uncounted = new Set(['json', 'logfmt', 'regexp', 'pattern', 'unpack', 'decolorize', 'line_format']);
const lineOperators = ['|=', '!=', '|~', '!~', '|>', '!>'];

export function readSelector(cursor: Cursor): Matcher[] {
  cursor.expect('{');
  const matchers: Matcher[] = [];
  if (cursor.accept('}')) return matchers;
  do {
    if (!cursor.is('IDENTIFIER')) cursor.fail(matchers.length === 0 ? ['IDENTIFIER', '}'] : ['IDENTIFIER']);
    matchers.push(readMatcher(cursor));
  } while (cursor.accept(','));
  cursor.expect(',', '}');
  return matchers;
}

/** Reads stages up to `unwrap`, or to the first token that does not begin a stage. */
export function readStages(cursor: Cursor): Stage[] {
  const stages: Stage[] = [];
  for (;;) {
    if (cursor.is(...lineOperators)) stages.push(readLineFilter(cursor));
    else if (cursor.is('|') && cursor.peek(1).kind !== 'unwrap') {
      cursor.take();
      if (uncounted.has(cursor.current.kind)) cursor.count();
      stages.push(readStage(cursor));
    } else return stages;
  }
}

function readLineFilter(cursor: Cursor): LineFilter {
  // The caller has checked that the token is an operator.
  const operator = cursor.take().kind as LineOperator;
  let alternatives = [readAlternative(cursor, operator)];
  while (cursor.accept('or')) {
    // Loki's grammar reads the rest as one chain, which a network ends. A further chain replaces it, unless the operator is a negation.
    const kept = operator.startsWith('!') ? alternatives : alternatives.slice(0, 1);
    alternatives = [...kept, ...readChain(cursor, operator)];
  }
  return { kind: 'lineFilter', operator, alternatives };
}

function readChain(cursor: Cursor, operator: LineOperator): LineAlternative[] {
  const chain = [readAlternative(cursor, operator)];
  while (chain.at(-1)?.isNetwork === false && cursor.accept('or'))
    chain.push(readAlternative(cursor, operator));
  return chain;
}

function readAlternative(cursor: Cursor, operator: LineOperator): LineAlternative {
  if (!cursor.accept('ip')) {
    const token = cursor.expect('STRING', 'ip');
    const { text } = token;
    cursor.search(text, operator.endsWith('>') ? text.split('<_>').length : 1); // the store searches for each text of a pattern
    if (operator.endsWith('~')) cursor.weigh(token);
    return { text, isNetwork: false };
  }
  cursor.count();
  cursor.expect('(');
  const { text } = cursor.expect('STRING');
  cursor.expect(')');
  return { text, isNetwork: true };
}

function readStage(cursor: Cursor): Stage {
  switch (cursor.current.kind) {
    case 'json':
      return readJson(cursor);
    case 'logfmt':
      return readLogfmt(cursor);
    case 'regexp':
    case 'pattern':
      return readParser(cursor);
    case 'unpack':
      cursor.take();
      return { kind: 'unpack' };
    case 'decolorize':
      cursor.take();
      return { kind: 'decolorize' };
    case 'line_format': {
      cursor.take();
      return { kind: 'lineFormat', template: cursor.expect('STRING').text };
    }
    case 'label_format':
      cursor.take();
      return { kind: 'labelFormat', formats: readLabelFormats(cursor) };
    case 'drop':
    case 'keep': {
      const { kind } = cursor.take();
      return { kind: kind === 'drop' ? 'drop' : 'keep', labels: readChosenLabels(cursor) };
    }
    default:
      if (!cursor.is('IDENTIFIER', '(', 'ip')) cursor.fail();
      return { kind: 'labelFilter', filter: readLabelFilter(cursor) };
  }
}

function readJson(cursor: Cursor): Stage {
  cursor.take();
  return { kind: 'json', extractions: readExtractions(cursor) };
}

function readLogfmt(cursor: Cursor): Stage {
  cursor.take();
  const flags: string[] = [];
  for (let flag = cursor.accept('FUNCTION_FLAG'); flag; flag = cursor.accept('FUNCTION_FLAG'))
    flags.push(flag.text);
  return {
    kind: 'logfmt',
    extractions: readExtractions(cursor),
    isStrict: flags.includes('--strict'),
    keepsEmpty: flags.includes('--keep-empty'),
  };
}

function readExtractions(cursor: Cursor): Extraction[] {
  const extractions: Extraction[] = [];
  if (!cursor.is('IDENTIFIER')) return extractions;
  do {
    const name = cursor.expect('IDENTIFIER').text;
    cursor.count();
    extractions.push({ name, expression: cursor.accept('=') ? cursor.expect('STRING').text : name });
  } while (cursor.accept(','));
  return extractions;
}

function readParser(cursor: Cursor): Stage {
  const kind = cursor.take().kind === 'regexp' ? 'regexp' : 'pattern';
  const token = cursor.expect('STRING');
  const { text } = token;
  explainMistakes(
    () => `invalid ${kind} parser: `,
    () => {
      if (kind === 'pattern') compileParserPattern(text);
      else {
        cursor.weigh(token);
        requireNames(compileExpression(text).groupNames);
      }
    },
  );
  return { kind, text };
}

function requireNames(names: readonly string[]): void {
  if (names.length === 0) throw parseMistake('at least one named capture must be supplied');
  const twice = findTwice(names);
  if (twice !== undefined) throw parseMistake(`duplicate extracted label name '${twice}'`);
}

function readLabelFormats(cursor: Cursor): LabelFormat[] {
  const formats: LabelFormat[] = [];
  do {
    const name = cursor.expect('IDENTIFIER').text;
    cursor.count();
    cursor.expect('=');
    const { kind, text } = cursor.expect('IDENTIFIER', 'STRING');
    formats.push({ name, from: { kind: kind === 'STRING' ? 'template' : 'label', text } });
  } while (cursor.accept(','));
  return formats;
}

function readChosenLabels(cursor: Cursor): ChosenLabel[] {
  const labels: ChosenLabel[] = [];
  do {
    const next = cursor.peek(1).kind;
    if (['=', '!=', '=~', '!~'].includes(next)) {
      const matcher = readMatcher(cursor);
      labels.push({ name: matcher.name, matcher });
    } else {
      labels.push({ name: cursor.expect('IDENTIFIER').text, matcher: null });
      cursor.count();
    }
  } while (cursor.accept(','));
  return labels;
}
