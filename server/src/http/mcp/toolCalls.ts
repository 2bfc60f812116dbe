/** Calls a tool with an assistant's arguments. Mistakes come back as an answer, so that the assistant can correct its call. */

import { isExpected } from '@tapedeck/domain/vocabulary';
import { QueryMistake } from '@tapedeck/log-query-language';
import { readArguments } from './toolArguments.ts';
import type { Tool, ToolCall, ToolContent, ToolDeps } from './tools/tool.ts';

type ToolResult = { content: readonly ToolContent[]; isError?: true };

export async function callTool(
  deps: ToolDeps,
  call: ToolCall,
  { tool, sent }: { tool: Tool; sent: unknown },
): Promise<ToolResult> {
  try {
    return { content: await tool.run(deps, readArguments(tool, sent), call) };
  } catch (error) {
    if (!isExpected(error) || call.signal.aborted) throw error;
    return { content: [{ type: 'text', text: explainFailure(error) }], isError: true };
  }
}

function explainFailure(error: Error & { retryAfterSeconds?: number | undefined }): string {
  const { message, retryAfterSeconds } = error;
  if (error instanceof QueryMistake)
    return `${message} The mistake is at position ${error.position} of query.`;
  return retryAfterSeconds === undefined ? message : `${message} Wait ${retryAfterSeconds} s before that.`;
}
