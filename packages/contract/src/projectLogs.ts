/** Logs of a project for signed-in users: the same requests and responses as V3. */
import Type from 'typebox';
import * as logComparison from './logComparison.ts';
import * as logFields from './logFields.ts';
import * as logPatterns from './logPatterns.ts';
import * as logSeries from './logSeries.ts';
import * as logs from './logs.ts';
import { defineRoute } from './route.ts';
import { ProjectParams } from './values.ts';

const shared = { area: 'Logs of a project', access: { by: 'person', role: 'viewer' } } as const;
const path = '/api/manage/projects/{project}/logs';
const TraceParams = Type.Object({ ...ProjectParams.properties, ...logs.getLog.params.properties });

export const queryProjectLogs = defineRoute({
  ...logs.queryLogs,
  ...shared,
  id: 'queryProjectLogs',
  path,
  params: ProjectParams,
});

export const getProjectHistogram = defineRoute({
  ...logs.getHistogram,
  ...shared,
  id: 'getProjectHistogram',
  path: `${path}/histogram`,
  params: ProjectParams,
});

export const getProjectSeries = defineRoute({
  ...logSeries.getSeries,
  ...shared,
  id: 'getProjectSeries',
  path: `${path}/series`,
  params: ProjectParams,
});

export const listProjectLogPatterns = defineRoute({
  ...logPatterns.listLogPatterns,
  ...shared,
  id: 'listProjectLogPatterns',
  path: `${path}/patterns`,
  params: ProjectParams,
});

export const compareProjectLogs = defineRoute({
  ...logComparison.compareLogs,
  ...shared,
  id: 'compareProjectLogs',
  path: `${path}/comparison`,
  params: ProjectParams,
});

export const listProjectLogFields = defineRoute({
  ...logFields.listLogFields,
  ...shared,
  id: 'listProjectLogFields',
  path: `${path}/fields`,
  params: ProjectParams,
});

export const listProjectLogValues = defineRoute({
  ...logFields.listLogValues,
  ...shared,
  id: 'listProjectLogValues',
  path: `${path}/values`,
  params: ProjectParams,
});

export const getProjectFacets = defineRoute({
  ...logs.getFacets,
  ...shared,
  id: 'getProjectFacets',
  path: `${path}/facets`,
  params: ProjectParams,
});

export const tailProjectLogs = defineRoute({
  ...logs.tailLogs,
  ...shared,
  id: 'tailProjectLogs',
  path: `${path}/tail`,
  params: ProjectParams,
});

export const exportProjectLogs = defineRoute({
  ...logs.exportLogs,
  ...shared,
  id: 'exportProjectLogs',
  path: `${path}/export`,
  params: ProjectParams,
});

export const getProjectLog = defineRoute({
  ...logs.getLog,
  ...shared,
  id: 'getProjectLog',
  path: `${path}/{traceId}`,
  params: TraceParams,
});

export const getProjectLogContext = defineRoute({
  ...logs.getLogContext,
  ...shared,
  id: 'getProjectLogContext',
  path: `${path}/{traceId}/context`,
  params: TraceParams,
});

export const listProjectLogChildren = defineRoute({
  ...logs.listLogChildren,
  ...shared,
  id: 'listProjectLogChildren',
  path: `${path}/{traceId}/children`,
  params: Type.Object({ ...ProjectParams.properties, ...logs.listLogChildren.params.properties }),
});
