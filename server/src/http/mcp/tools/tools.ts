/** Lists the tools for assistants, and which of them a token may call. */
import type { TokenPrincipal } from '@tapedeck/domain/identity/principals';
import { countLogs } from './countLogs.ts';
import { getFile } from './getFile.ts';
import { logContext } from './logContext.ts';
import { logFields } from './logFields.ts';
import { logPatterns } from './logPatterns.ts';
import { logSeries } from './logSeries.ts';
import { searchFiles } from './searchFiles.ts';
import { searchLogs } from './searchLogs.ts';
import type { Tool } from './tool.ts';

const tools: readonly Tool[] = [
  searchLogs,
  countLogs,
  logPatterns,
  logSeries,
  logFields,
  logContext,
  searchFiles,
  getFile,
];

export function toolsOf({ tokenKind }: Pick<TokenPrincipal, 'tokenKind'>): Tool[] {
  return tools.filter(({ kind }) => kind === tokenKind);
}
