/** Handles the audit log routes. */
import * as contract from '@tapedeck/contract/audit';
import { listAudit, type ManagementDeps } from '@tapedeck/domain/projects/auditedChanges';
import { readPageSize } from '../queryParameters.ts';
import { type HandledRoute, handle } from '../routing.ts';
import { writeAudit } from './jsonRecords.ts';

export function handleAudit(deps: ManagementDeps): HandledRoute[] {
  const answerPage = async (project: string | null, query: { limit?: number; before?: string }) => {
    const limit = readPageSize(query);
    const page = await listAudit(deps, { project, before: query.before ?? null, limit });
    return { entries: page.entries.map(writeAudit), nextBefore: page.nextBefore };
  };
  return [
    handle(contract.listAudit, async ({ query }) => answerPage(null, query)),
    handle(contract.listProjectAudit, async ({ params, query }) => answerPage(params.project, query)),
  ];
}
