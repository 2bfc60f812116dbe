/** Returns the project for the navigation. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { projectsQuery } from '../queries/projects.ts';
import { recallProject } from '../recentProject.ts';

/** On pages of the installation, keeps the last project. */
export function useOpenProject() {
  const { project: slug } = useParams({ strict: false });
  const { data: projects } = useSuspenseQuery(projectsQuery);
  const wanted = slug ?? recallProject();
  return projects.find(each => each.project === wanted) ?? (slug === undefined ? projects[0] : undefined);
}
