/** The exports that both entry points of the package share, besides the client. */
export type { Answer, Client, Input, RouteId } from '../api.ts';
export { TapedeckError } from '../errors.ts';
export type { UploadSource } from './files/content.ts';
export type { UploadedFile, UploadOptions } from './files/uploadOptions.ts';
export type { DropReason } from './logs/drops.ts';
export type { LogEntry, LogLevel } from './logs/entryText.ts';
export type { LogOptions, LogStats, Logs } from './logs/options.ts';
export type { TapedeckOptions } from './tapedeck.ts';
