/** The typed client of the Tapedeck API, for programs and the dashboard. Contains nothing to run the service. */
export {
  type ChannelEvent,
  type ChannelKind,
  channelEvents,
  findForeignTarget,
  type LogLevel,
  limits,
  logLevels,
  type MediaType,
  mediaTypes,
  type Role,
  roles,
  type Severity,
  severities,
  type TokenAction,
  type TokenKind,
  tokenActions,
  tokenKinds,
} from '@tapedeck/contract/vocabulary';
export type { Answer, Client, Input, RouteId } from './api.ts';
export { addressOf, type ClientSettings, createClient } from './client.ts';
export { type ApiErrorCode, TapedeckError as ApiError } from './errors.ts';
export { attempt, type Patience, persist, requireOk, rest } from './kit/retries.ts';
export { type ExportedEntry, exportEntries, type Followed, followEntries } from './streams.ts';
