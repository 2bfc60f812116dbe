/** Media samples, made by hand or by real encoders, for the tests of this package and of its users. */

export * from './containers.ts';
export * from './generator.ts';
export * from './hostileFile.ts';
export { hostileLocations } from './hostileLocations.ts';
export * from './hostileMetadata.ts';
export { hostileMovies } from './hostileMovies.ts';
export { hostilePictures } from './hostilePictures.ts';
export { hostileSound } from './hostileSound.ts';
export { hostileStreams } from './hostileStreams.ts';
export * from './smallMedia.ts';
export * from './sources.ts';
