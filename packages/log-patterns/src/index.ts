/** Which log entries say the same but for numbers, names and times. */
export { PatternReader, templateBytesMax } from './patternReader.ts';
export { findPattern, type Pattern } from './patterns.ts';
