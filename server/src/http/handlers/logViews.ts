/** Handles the routes of saved log views. */

import * as contract from '@tapedeck/contract/logViews';
import * as views from '@tapedeck/domain/logs/logViews';
import type { LogView } from '@tapedeck/domain/ports/metadata';
import type { ManagementDeps } from '@tapedeck/domain/projects/auditedChanges';
import type { Static } from 'typebox';
import { type HandledRoute, handle, ok } from '../routing.ts';
import { writeInstant } from './jsonRecords.ts';

export function handleLogViews(deps: ManagementDeps): HandledRoute[] {
  return [
    handle(contract.listLogViews, async ({ params }) => ({
      views: (await views.listLogViews(deps, params.project)).map(writeView),
    })),
    handle(contract.createLogView, async ({ params, body, caller }) => ({
      view: writeView(await views.createLogView(deps, caller, { ...params, ...body })),
    })),
    handle(contract.updateLogView, async ({ params: { project, view: id }, body, caller }) => {
      const { name, query } = body;
      return { view: writeView(await views.updateLogView(deps, caller, { project, id, name, query })) };
    }),
    handle(contract.deleteLogView, async ({ params: { project, view: id }, caller }) => {
      await views.deleteLogView(deps, caller, { project, id });
      return ok;
    }),
  ];
}

function writeView({
  id,
  name,
  query,
  createdAt,
  createdBy,
}: LogView): Static<typeof contract.LogViewRecord> {
  return { id, name, query, createdAt: writeInstant(createdAt), createdBy };
}
