/** Translates line filters to conditions of the log store. */
import { anyOf, type ComposedField, type Condition, everything, negate } from '@tapedeck/log-query-language';
import { compileLinePattern, type LineFilter, listSought, writeForStore } from '@tapedeck/logql';

const patternTextsMax = 8; // the store's expression for a pattern grows with the cube of their number
const expressionCharactersMax = 4_096; // the limit of every expression

/** Returns a condition that holds for every line of a long pattern; everything if none is known. */
export function guessPattern({ operator, alternatives }: LineFilter): Condition {
  const [only, ...others] = alternatives;
  if (operator !== '|>' || only === undefined || only.isNetwork || others.length > 0) return everything;
  const expression = compileLinePattern(only.text)
    .flatMap(({ kind, text }) => (kind === 'text' ? [text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')] : []))
    .join('(?s:.+)');
  if (expression.length > expressionCharactersMax) return everything;
  return { kind: 'matches', field: { kind: 'body' }, expression };
}

/** `line` is what stages made of the line; null: nothing yet. Returns null if the filter must be evaluated line by line. */
export function composeLineFilter(filter: LineFilter, line: ComposedField | null): Condition | null {
  const { operator } = filter;
  const conditions = listSought(filter).map(({ text, isNetwork }): Condition | null => {
    if (isNetwork) return null;
    if (operator === '|~' || operator === '!~')
      return text === ''
        ? everything
        : { kind: 'matches', field: line ?? { kind: 'body' }, expression: writeForStore(text) };
    if (operator === '|>' || operator === '!>') {
      if (line !== null) return null;
      const pieces = compileLinePattern(text).map(piece => (piece.kind === 'text' ? piece.text : null));
      const isShort = pieces.filter(piece => piece !== null).length <= patternTextsMax;
      return isShort ? { kind: 'bodyPattern', pieces } : null;
    }
    if (text === '') return everything;
    return line === null ? { kind: 'bodyExactly', text } : { kind: 'contains', field: line, text };
  });
  if (conditions.some(condition => condition === null)) return null;
  const any = anyOf(conditions.filter(condition => condition !== null));
  return operator.startsWith('!') ? negate(any) : any;
}
