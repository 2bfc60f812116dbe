/** The query language for log entries and files: parses queries, prints them, and evaluates them on single entries and files. */
export {
  type AmountUnit,
  amountLimit,
  durationExpression,
  durationUnits,
  singleDurationExpression,
  sizeExpression,
  sizeUnits,
} from './amounts.ts';
export {
  type ComposedField,
  type ComposedPiece,
  isParsedField,
  type ParsedField,
} from './composedTexts.ts';
export {
  compileComparison,
  compileCondition,
  MatchableEntry,
  type QueriedEntry,
} from './evaluation.ts';
export {
  type AmountField,
  type CaptureField,
  type ExtractedField,
  formatExtractedField,
  isExtracted,
} from './extractedFields.ts';
export {
  type Field,
  type FileField,
  type FileFieldName,
  fileFieldNames,
  metadataPrefix,
  nameField,
  nameFileField,
  reservedNames,
  resolveField,
  resolveFileField,
  type TextField,
} from './fields.ts';
export { compileFileQuery, type QueriedFile } from './fileEvaluation.ts';
export { listFileSpans, listSpans, type Span, type SpanKind } from './highlighting.ts';
export { findJsonNumber } from './jsonNumbers.ts';
export { type Level, levelSynonyms, levels, readLevel } from './levels.ts';
export {
  type AskedMember,
  isMemberName,
  listDoubts,
  listMemberPaths,
  type MemberField,
} from './members.ts';
export { QueryMistake, queryCodes } from './mistakes.ts';
export { holdsParts, matchesParts } from './orderedParts.ts';
export { findOtherSpellings, type PairField, plainPairsExpression } from './pairs.ts';
export { atomsMax, parseFileQuery, parseQuery, queryBytesMax } from './parser.ts';
export { printFileQuery, printQuery } from './printer.ts';
export {
  allOf,
  anyOf,
  type BodyValue,
  type Comparison,
  type Condition,
  everything,
  type FieldValue,
  type FileQuery,
  type FileTerm,
  findTraceId,
  hasTemplate,
  isTemplate,
  keyOfQuestion,
  negate,
  nothing,
  type Query,
} from './tree.ts';
export { findFileTyping, findTyping, type Typing } from './typing.ts';
