/** Lists the routes of the API, each area with its handlers. */
import { routesOf } from '@tapedeck/contract';
import { exportLogs, tailLogs } from '@tapedeck/contract/logs';
import type { Route } from '@tapedeck/contract/route';
import type { LogSearchDeps } from '@tapedeck/domain/logs/search/searchFilter';
import type { StorageDeps } from '@tapedeck/domain/projects/storage';
import type { UsageDeps } from '@tapedeck/domain/projects/usage';
import type { EntryIntakeDeps } from '../intake/entryIntake.ts';
import { type AccountDeps, handleAccounts } from './handlers/accounts.ts';
import { handleAudit } from './handlers/audit.ts';
import { handleChannels, handleDeliveries } from './handlers/channels.ts';
import { handleChatWebhooks } from './handlers/chatWebhooks.ts';
import { type DatasetRouteDeps, handleDatasets } from './handlers/datasets.ts';
import { type EvidenceRouteDeps, handleEvidence } from './handlers/evidence.ts';
import type { FileArchiveDeps } from './handlers/fileArchives.ts';
import { type FileDeps, handleFiles } from './handlers/files.ts';
import type { FolderMoveDeps } from './handlers/folderMoves.ts';
import { handleInvitations } from './handlers/invitations.ts';
import { handleIssues } from './handlers/issues.ts';
import { respondLogExport } from './handlers/logExport.ts';
import { handleLogIntake } from './handlers/logIntake.ts';
import { handleLogQueries } from './handlers/logQueries.ts';
import { type LogTailDeps, respondLogTail } from './handlers/logTail.ts';
import { handleLogViews } from './handlers/logViews.ts';
import { handleMachine, type MachineRouteDeps } from './handlers/machine.ts';
import { handleMedia, type MediaDeps } from './handlers/media.ts';
import { handlePasskeys, type PasskeyRouteDeps } from './handlers/passkeys.ts';
import { handleProjectFiles } from './handlers/projectFiles.ts';
import { handleProjectLogs } from './handlers/projectLogs.ts';
import { handleProjects, type ProjectDeps } from './handlers/projects.ts';
import { handleProviderSignIn, type ProviderRouteDeps } from './handlers/providerSignIn.ts';
import { handleResumable, type ResumableDeps } from './handlers/resumable.ts';
import { handleRules, type RuleRouteDeps } from './handlers/rules.ts';
import { handleSdk, type SdkRouteDeps } from './handlers/sdk.ts';
import { handleSecondFactors } from './handlers/secondFactors.ts';
import { handleSubjectNotes } from './handlers/subjectNotes.ts';
import { handleSubjects } from './handlers/subjects.ts';
import { handleSystem, type SystemDeps } from './handlers/system.ts';
import { handleTimeline } from './handlers/timeline.ts';
import { handleTokens } from './handlers/tokens.ts';
import { handleUsage } from './handlers/usage.ts';
import { handleUsers } from './handlers/users.ts';
import { ingestModule } from './ingest/routes.ts';
import { legacyModule } from './legacy/routes.ts';
import { lokiModule } from './loki/routes.ts';
import type { LokiTailDeps } from './loki/tail.ts';
import { mcpModule } from './mcp/routes.ts';
import { addRouteAliases } from './routeAliases.ts';
import { handle, type RouteModule } from './routing.ts';

type RouteDeps = SystemDeps &
  AccountDeps &
  ProviderRouteDeps &
  PasskeyRouteDeps &
  FileDeps &
  FileArchiveDeps &
  FolderMoveDeps &
  ResumableDeps &
  MediaDeps &
  SdkRouteDeps &
  EntryIntakeDeps &
  LogSearchDeps &
  LogTailDeps &
  DatasetRouteDeps &
  ProjectDeps &
  UsageDeps &
  StorageDeps &
  MachineRouteDeps &
  RuleRouteDeps &
  LokiTailDeps &
  EvidenceRouteDeps;

const modulesByArea: readonly RouteModule<RouteDeps>[] = [
  { routes: routesOf('system'), handle: handleSystem },
  { routes: [...routesOf('files'), ...routesOf('fileActions')], handle: handleFiles },
  { routes: routesOf('resumable'), handle: handleResumable },
  { routes: routesOf('media'), handle: handleMedia },
  {
    routes: [
      ...routesOf('logs'),
      ...routesOf('logSeries'),
      ...routesOf('logComparison'),
      ...routesOf('logFields'),
      ...routesOf('logPatterns'),
    ],
    handle: deps => [
      ...handleLogIntake(deps),
      ...handleLogQueries(deps),
      handle(exportLogs, respondLogExport(deps)),
      handle(tailLogs, respondLogTail(deps)),
    ],
  },
  { routes: routesOf('webhooks'), handle: handleChatWebhooks },
  { routes: routesOf('sdk'), handle: handleSdk },
  { routes: routesOf('accounts'), handle: handleAccounts },
  { routes: routesOf('secondFactors'), handle: handleSecondFactors },
  { routes: routesOf('providerSignIn'), handle: handleProviderSignIn },
  { routes: routesOf('passkeys'), handle: handlePasskeys },
  { routes: routesOf('users'), handle: handleUsers },
  { routes: routesOf('invitations'), handle: handleInvitations },
  { routes: routesOf('projects'), handle: handleProjects },
  { routes: routesOf('tokens'), handle: handleTokens },
  { routes: routesOf('projectFiles'), handle: handleProjectFiles },
  { routes: routesOf('projectLogs'), handle: handleProjectLogs },
  { routes: routesOf('subjects'), handle: handleSubjects },
  { routes: routesOf('subjectNotes'), handle: handleSubjectNotes },
  { routes: routesOf('evidence'), handle: handleEvidence },
  { routes: routesOf('timeline'), handle: handleTimeline },
  { routes: routesOf('logViews'), handle: handleLogViews },
  { routes: routesOf('issues'), handle: handleIssues },
  { routes: routesOf('datasets'), handle: handleDatasets },
  { routes: routesOf('usage'), handle: handleUsage },
  { routes: routesOf('machine'), handle: handleMachine },
  { routes: routesOf('rules'), handle: handleRules },
  { routes: routesOf('channels'), handle: handleChannels },
  { routes: routesOf('deliveries'), handle: handleDeliveries },
  { routes: routesOf('audit'), handle: handleAudit },
  ingestModule,
  lokiModule,
  mcpModule,
  legacyModule, // V1 and V2: without this line, its import and their folder, V3 stands alone
];

export const routeModules: readonly RouteModule<RouteDeps>[] = modulesByArea.map(addRouteAliases);

/** The routes that `openapi.json` describes. */
export const routes: readonly Route[] = routeModules.flatMap(module => module.routes);
