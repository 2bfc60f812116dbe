/** Lists the commands in the order of the help. */

import { adopt } from './adopt.ts';
import { backup } from './backup.ts';
import type { Command } from './command.ts';
import { makeCompletion } from './completion.ts';
import { datasetList, datasetSet } from './datasets.ts';
import { evidenceKey, evidenceVerify } from './evidence.ts';
import { importFiles, importLogs } from './imports.ts';
import { logs } from './logs.ts';
import { retentionRun, verify } from './maintenance.ts';
import { migrate } from './migrate.ts';
import { migrateTo } from './migrateTo.ts';
import { nodeForget, nodeList } from './nodes.ts';
import { projectCreate, projectList, projectSet } from './projects.ts';
import { restore } from './restore.ts';
import { serve } from './serve.ts';
import { showConfig } from './showConfig.ts';
import { status } from './status.ts';
import { tokenCreate, tokenList, tokenRevoke } from './tokens.ts';
import { userCreate, userList, userPassword, userSecondFactorOff } from './users.ts';

export const commands: readonly Command[] = [
  serve,
  status,
  showConfig,
  logs,
  tokenCreate,
  tokenList,
  tokenRevoke,
  projectCreate,
  projectList,
  projectSet,
  datasetList,
  datasetSet,
  userCreate,
  userList,
  userPassword,
  userSecondFactorOff,
  retentionRun,
  verify,
  importFiles,
  importLogs,
  evidenceVerify,
  evidenceKey,
  backup,
  restore,
  adopt,
  nodeList,
  nodeForget,
  migrate,
  migrateTo,
  makeCompletion(() => commands),
];
