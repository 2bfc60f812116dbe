/** Groups log messages that differ only in numbers, names and times. */
export type { Leaves } from './entryNames.ts';
export { mergeTemplates } from './merging.ts';
export { PatternReader } from './patternReader.ts';
export { findPattern, findTemplate } from './patterns.ts';
export { compileComparable, compileTemplate, makeComparable } from './templateMatching.ts';
export { parseTemplate } from './templates.ts';
export { tracebackHeading } from './tracebacks.ts';
