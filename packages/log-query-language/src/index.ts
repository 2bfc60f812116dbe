/** The language in which log entries are asked for: text to tree, tree to text, and whether an entry is meant. */
export { compileCondition, findTraceId, type Judge, JudgedEntry, type QueriedEntry } from './evaluation.ts';
export {
  type Field,
  metadataPrefix,
  nameField,
  reservedNames,
  resolveField,
  type TextField,
} from './fields.ts';
export { findJsonNumber } from './jsonNumbers.ts';
export { type Level, levelSynonyms, levels, readLevel } from './levels.ts';
export { QueryMistake, queryCodes } from './mistakes.ts';
export { parseQuery } from './parser.ts';
export { printQuery } from './printer.ts';
export { listSpans, type Span, type SpanKind } from './spans.ts';
export {
  allOf,
  anyOf,
  type BodyValue,
  type Comparison,
  type Condition,
  everything,
  type FieldValue,
  negate,
  nothing,
  type ParameterTerm,
  type Query,
  type Term,
} from './tree.ts';
export { findTyping, type Typing } from './typing.ts';
