/** The user's projects and their settings. */

import { queryOptions, useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import type { Answer, Input } from '@tapedeck/client';
import { api } from '../api.ts';

export type Project = Answer<'getProject'>['project'];
export type ProjectChanges = Input<'updateProject'>['body'];

export const projectsQuery = queryOptions({
  queryKey: ['projects'],
  queryFn: async ({ signal }) => (await api.listProjects({}, { signal })).projects,
});

export function projectQuery(project: string) {
  return queryOptions({
    queryKey: ['projects', project],
    queryFn: async ({ signal }) => (await api.getProject({ params: { project } }, { signal })).project,
  });
}

export function useProject(slug: string): Project {
  return useSuspenseQuery(projectQuery(slug)).data;
}

/** Saves settings; pages then show the response. */
export function useProjectChange(slug: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: ProjectChanges) => api.updateProject({ params: { project: slug }, body }),
    onSuccess: ({ project }) => {
      queries.setQueryData(projectQuery(slug).queryKey, project);
      return queries.invalidateQueries({ queryKey: projectsQuery.queryKey, exact: true });
    },
  });
}

export function useProjectCreation(onCreated: (project: Project) => Promise<void>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: { name: string; slug: string }) => api.createProject({ body }),
    onSuccess: async ({ project }) => {
      await queries.invalidateQueries({ queryKey: projectsQuery.queryKey, exact: true });
      await onCreated(project);
    },
  });
}
