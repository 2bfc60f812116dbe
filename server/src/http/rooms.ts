/** The rooms of the API: which routes there are, and who answers them. */
import * as contract from '../contract/index.ts';
import type { Route } from '../contract/route.ts';
import type { IngestDeps } from '../domain/logs/ingest.ts';
import type { ReportDeps } from '../domain/sdkSessions.ts';
import { spellAsInTheField } from './fieldSpellings.ts';
import { type AccountDeps, handleAccounts } from './handlers/accounts.ts';
import { handleAudit } from './handlers/audit.ts';
import { type FileDeps, handleFiles } from './handlers/files.ts';
import { handleLogExport } from './handlers/logExport.ts';
import { handleLogIntake } from './handlers/logIntake.ts';
import { handleLogQueries, type LogQueryDeps } from './handlers/logQueries.ts';
import { handleLogTail, type LogTailDeps } from './handlers/logTail.ts';
import { handleMedia, type MediaDeps } from './handlers/media.ts';
import { handleProjects } from './handlers/projects.ts';
import { handleSdk } from './handlers/sdk.ts';
import { handleSystem, type SystemDeps } from './handlers/system.ts';
import { handleTokens } from './handlers/tokens.ts';
import { handleUsers } from './handlers/users.ts';
import { handleWebhooks } from './handlers/webhooks.ts';
import type { HandledRoute } from './registry.ts';

export type RoomDeps = SystemDeps &
  AccountDeps &
  FileDeps &
  MediaDeps &
  ReportDeps &
  IngestDeps &
  LogQueryDeps &
  LogTailDeps;

export type Room = { routes: readonly Route[]; handle(deps: RoomDeps): HandledRoute[] };

const roomsByArea: readonly Room[] = [
  { routes: contract.system, handle: handleSystem },
  { routes: contract.files, handle: handleFiles },
  { routes: contract.media, handle: handleMedia },
  {
    routes: contract.logs,
    handle: deps => [
      ...handleLogIntake(deps),
      ...handleLogQueries(deps),
      ...handleLogExport(deps),
      ...handleLogTail(deps),
    ],
  },
  { routes: contract.webhooks, handle: handleWebhooks },
  { routes: contract.sdk, handle: handleSdk },
  { routes: contract.accounts, handle: handleAccounts },
  { routes: contract.users, handle: handleUsers },
  { routes: contract.projects, handle: handleProjects },
  { routes: contract.tokens, handle: handleTokens },
  { routes: contract.audit, handle: handleAudit },
  (await import('./legacy/room.ts')).legacyRoom, // V1 and V2: without this line and that folder, V3 stands alone
];

export const rooms: readonly Room[] = roomsByArea.map(spellAsInTheField);

/** As `openapi.json` shows them. */
export const routes: readonly Route[] = rooms.flatMap(room => room.routes);
