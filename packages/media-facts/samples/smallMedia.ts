/** The smallest accepted file of each type, made without an encoder. */
import { joinBytes, pngFile, riffChunk, riffFile, wavFormat } from './containers.ts';

export const smallPng: Buffer = pngFile(2, 2);
export const smallWav: Buffer = riffFile('WAVE', riffChunk('fmt ', wavFormat()), riffChunk('data', 'abcd'));
export const noMedia: Buffer = joinBytes('GIF, but not really');
