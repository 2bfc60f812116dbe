/** The project that the navigation is about. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { projectsQuery } from '../queries/projects.ts';
import { recallProject } from '../recentProject.ts';

/** Remembers the last project while a page of the installation is open. */
export function useOpenProject() {
  const { project: slug } = useParams({ strict: false });
  const { data: projects } = useSuspenseQuery(projectsQuery);
  const wanted = slug ?? recallProject();
  return projects.find(each => each.project === wanted) ?? (slug === undefined ? projects[0] : undefined);
}
