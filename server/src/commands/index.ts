/** The commands of the command line, in the order in which the help shows them. */

import { adopt } from './adopt.ts';
import { backup } from './backup.ts';
import type { Command } from './command.ts';
import { datasetSet } from './datasets.ts';
import { logs } from './logs.ts';
import { migrate } from './migrate.ts';
import { migrateTo } from './migrateTo.ts';
import { nodeForget, nodeList } from './nodes.ts';
import { projectCreate, projectSet } from './projects.ts';
import { restore } from './restore.ts';
import { serve } from './serve.ts';
import { showConfig } from './showConfig.ts';
import { tokenCreate, tokenList, tokenRevoke } from './tokens.ts';
import { retentionRun, verify } from './upkeep.ts';
import { userCreate, userPassword, userSecondFactorOff } from './users.ts';

export const commands: readonly Command[] = [
  serve,
  showConfig,
  logs,
  tokenCreate,
  tokenList,
  tokenRevoke,
  projectCreate,
  projectSet,
  datasetSet,
  userCreate,
  userPassword,
  userSecondFactorOff,
  retentionRun,
  verify,
  backup,
  restore,
  adopt,
  nodeList,
  nodeForget,
  migrate,
  migrateTo,
];
