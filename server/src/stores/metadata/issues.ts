/** Decisions about issues as rows. */
import type { IssueDecision, IssueDecisions } from '../../domain/ports/issues.ts';
import type { IssueDecisionRow, Queries } from './schema.ts';

export function buildIssueDecisions(queries: Queries): IssueDecisions {
  return {
    put: async ({ project, pattern, state, decidedAt, decidedBy }) => {
      const decision = { state, decided_at: decidedAt, decided_by: decidedBy };
      await queries
        .insertInto('issue_decisions')
        .values({ project, pattern, ...decision })
        .onConflict(conflict => conflict.columns(['project', 'pattern']).doUpdateSet(decision))
        .execute();
    },
    remove: async (project, pattern) => {
      const query = queries.deleteFrom('issue_decisions').where('project', '=', project);
      const result = await query.where('pattern', '=', pattern).executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
    list: async project => {
      const query = queries.selectFrom('issue_decisions').selectAll().where('project', '=', project);
      return (await query.orderBy('pattern').execute()).map(parseDecision);
    },
  };
}

function parseDecision({ decided_at, decided_by, ...row }: IssueDecisionRow): IssueDecision {
  return { ...row, decidedAt: decided_at, decidedBy: decided_by };
}
