/** Stores decisions about issues as rows. */
import type { IssueDecisions } from '@tapedeck/domain/ports/issues';
import type { Queries } from './schema.ts';
import { issueDecisions } from './tables/logs.ts';
import { deleteRow } from './writeOutcomes.ts';

export function buildIssueDecisions(queries: Queries): IssueDecisions {
  return {
    put: async decision => {
      const row = issueDecisions.compose(decision);
      const insertion = queries.insertInto('issue_decisions').values(row);
      await insertion
        .onConflict(conflict => conflict.columns(['project', 'pattern']).doUpdateSet(issueDecisions.excluded))
        .execute();
    },
    remove: (project, pattern) => {
      const ofProject = queries.deleteFrom('issue_decisions').where('project', '=', project);
      return deleteRow(ofProject.where('pattern', '=', pattern));
    },
    list: async project => {
      const query = queries.selectFrom('issue_decisions').selectAll().where('project', '=', project);
      return (await query.orderBy('pattern').execute()).map(issueDecisions.parse);
    },
  };
}
