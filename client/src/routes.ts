/** Method and path of every route: all that a running client needs of the contract. Types and a test keep it true. */
import type { RouteTable } from './api.ts';

export const routeTable: RouteTable = {
  getHealth: 'GET /healthz',
  getReadiness: 'GET /readyz',
  getMetrics: 'GET /metrics',

  getState: 'GET /api/manage/state',
  setUp: 'POST /api/manage/set-up',
  signIn: 'POST /api/manage/sign-in',
  signOut: 'POST /api/manage/sign-out',
  getMe: 'GET /api/manage/me',
  changePassword: 'PUT /api/manage/me/password',
  listMySessions: 'GET /api/manage/me/sessions',
  endMySession: 'DELETE /api/manage/me/sessions/{session}',

  listUsers: 'GET /api/manage/users',
  createUser: 'POST /api/manage/users',
  getUser: 'GET /api/manage/users/{user}',
  updateUser: 'PATCH /api/manage/users/{user}',
  deleteUser: 'DELETE /api/manage/users/{user}',
  listMembers: 'GET /api/manage/projects/{project}/members',
  addMember: 'POST /api/manage/projects/{project}/members',
  setMemberRole: 'PUT /api/manage/projects/{project}/members/{user}',
  removeMember: 'DELETE /api/manage/projects/{project}/members/{user}',

  listProjects: 'GET /api/manage/projects',
  createProject: 'POST /api/manage/projects',
  getProject: 'GET /api/manage/projects/{project}',
  updateProject: 'PATCH /api/manage/projects/{project}',
  deleteProject: 'DELETE /api/manage/projects/{project}',

  describeToken: 'GET /api/v3/token',
  listTokens: 'GET /api/manage/projects/{project}/tokens',
  createToken: 'POST /api/manage/projects/{project}/tokens',
  revokeToken: 'DELETE /api/manage/projects/{project}/tokens/{token}',

  listAudit: 'GET /api/manage/audit',
  listProjectAudit: 'GET /api/manage/projects/{project}/audit',
};
