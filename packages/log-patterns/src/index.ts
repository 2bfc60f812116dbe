/** Groups log messages that differ only in numbers, names and times. */
export type { Leaves } from './entryNames.ts';
export { type Mergeable, type Merged, mergeTemplates } from './merging.ts';
export { PatternReader, templateBytesMax } from './patternReader.ts';
export { findPattern, type Pattern } from './patterns.ts';
export { parseTemplate, type TemplatePart } from './templates.ts';
