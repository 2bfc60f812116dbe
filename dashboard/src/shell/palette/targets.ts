/** Entries of the Ctrl+K palette: pages, projects, saved views, alert rules, players, files and searches. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import type { LinkProps } from '@tanstack/react-router';
import { shorten } from '../../format/names.ts';
import { openView } from '../../pages/logs/search.ts';
import { nameKind, nameSubject } from '../../pages/players/subjectNames.ts';
import { foundFilesQuery } from '../../queries/files.ts';
import { type LogView, logViewsQuery } from '../../queries/logViews.ts';
import { type Project, projectsQuery } from '../../queries/projects.ts';
import { type Rule, rulesQuery } from '../../queries/rules.ts';
import { useMe } from '../../queries/session.ts';
import { foundSubjectsQuery } from '../../queries/subjects.ts';
import { isRoleAtLeast } from '../../roles.ts';
import { useDebouncedValue } from '../../ui/hooks/useDebouncedValue.ts';
import type { IconName } from '../../ui/Icon.tsx';
import type { OptionGroup } from '../../ui/options/OptionList.tsx';
import { installationLinks, projectLinks } from '../navigation.ts';

export type Target = {
  key: string;
  label: string;
  /** The target's location or kind. */
  about: string;
  icon: IconName;
  link: Pick<LinkProps, 'to' | 'params' | 'search'>;
};

const fewShown = 6; // per kind; typing narrows them
const fileCharactersMin = 2;

/** `isSettled`: no pending result would come before the search. */
export function useTargets(
  typed: string,
  project: Project | undefined,
): { groups: OptionGroup<Target>[]; isSettled: boolean } {
  const wanted = typed.trim();
  const { data: projects } = useSuspenseQuery(projectsQuery);
  const { isOwner } = useMe();
  const found = useFound(wanted, project);
  const pages = [...(project ? listPages(project) : []), ...listOwnPages(isOwner)];
  const others = projects.filter(each => each.project !== project?.project).map(makeProject);
  const known = [
    { title: 'Pages', options: fit(pages, wanted, pages.length) },
    { title: 'Projects', options: fit(others, wanted, fewShown) },
    { title: 'Saved views', options: fit(found.views, wanted, fewShown) },
    { title: 'Alert rules', options: fit(found.rules, wanted, fewShown) },
  ];
  // These come before all pending results.
  const isKnown = known.some(({ options }) => options.length > 0);
  const groups = [
    ...known,
    { title: 'Players', options: found.players },
    { title: 'Files', options: found.files },
    { title: 'Search', options: project && wanted !== '' ? [makeSearch(wanted, project.project)] : [] },
  ];
  return {
    groups: groups.filter(({ options }) => options.length > 0),
    isSettled: isKnown || found.isSettled,
  };
}

const idSignsMax = 24; // leaves room for a name

function useFound(wanted: string, project: Project | undefined) {
  const slug = project?.project ?? '';
  const q = useDebouncedValue(wanted);
  const isSought = project !== undefined && q.length >= fileCharactersMin;
  const { data: views = [] } = useQuery({ ...logViewsQuery(slug), enabled: project !== undefined });
  const { data: rules = [] } = useQuery({ ...rulesQuery(slug), enabled: project !== undefined });
  const foundFiles = useQuery({ ...foundFilesQuery(slug, q), enabled: isSought });
  const foundPlayers = useQuery({
    ...foundSubjectsQuery(slug, { q, limit: fewShown }),
    enabled: isSought && project.subjects.length > 0,
  });
  const isWaiting = [foundFiles, foundPlayers].some(
    ({ isLoading, isFetching, isPlaceholderData }) => isLoading || (isFetching && isPlaceholderData),
  );
  const isEnough = project !== undefined && wanted.length >= fileCharactersMin;
  return {
    isSettled: !isEnough || (q === wanted && !isWaiting),
    players: (isSought ? (foundPlayers.data?.subjects ?? []) : []).map(
      (player): Target => ({
        key: `player ${player.kind} ${player.id}`,
        label: nameSubject(player),
        about: `${nameKind(player.kind)} ${[player.id, ...(player.otherIds ?? [])].map(id => shorten(id, idSignsMax)).join(', ')}`,
        icon: 'person',
        link: {
          to: '/projects/$project/players',
          params: { project: slug },
          search: { kind: player.kind, id: player.id },
        },
      }),
    ),
    views: views.map(view => makeView(view, slug)),
    rules: rules.map(rule => makeRule(rule, slug)),
    files: (isSought ? (foundFiles.data ?? []) : []).slice(0, fewShown).map(
      (file): Target => ({
        key: `file ${file.id}`,
        label: file.filename,
        about: 'File',
        icon: 'picture',
        link: { to: '/projects/$project/files', params: { project: slug }, search: { file: file.id } },
      }),
    ),
  };
}

/** Puts targets first that start with the text. */
function fit(targets: readonly Target[], wanted: string, most: number): Target[] {
  const lower = wanted.toLowerCase();
  const place = ({ label }: Target) => label.toLowerCase().indexOf(lower);
  return targets
    .filter(target => place(target) >= 0)
    .sort((one, other) => (lower === '' ? 0 : place(one) - place(other)))
    .slice(0, most);
}

function listPages({ project, name, role }: Project): Target[] {
  return projectLinks
    .filter(room => isRoleAtLeast(role, room.role))
    .map(room => ({
      key: room.to,
      label: room.name,
      about: name,
      icon: room.icon,
      link: { to: room.to, params: { project } },
    }));
}

function listOwnPages(isOwner: boolean): Target[] {
  const rooms = isOwner ? installationLinks : [];
  return [
    ...rooms.map(room => ({
      key: room.to,
      label: room.name,
      about: 'Installation',
      icon: room.icon,
      link: { to: room.to },
    })),
    { key: '/account', label: 'Account', about: 'Your account', icon: 'person', link: { to: '/account' } },
  ];
}

function makeProject({ project, name }: Project): Target {
  const link = { to: '/projects/$project', params: { project } } as const;
  return { key: `project ${project}`, label: name, about: project, icon: 'drawers', link };
}

function makeView(view: LogView, project: string): Target {
  const link = { to: '/projects/$project/logs', params: { project }, search: openView(view) } as const;
  return { key: `view ${view.id}`, label: view.name, about: 'Saved view', icon: 'bookmark', link };
}

function makeRule({ id, name, state }: Rule, project: string): Target {
  const link = { to: '/projects/$project/alerts/$rule', params: { project, rule: id } } as const;
  const about = state === 'firing' ? 'Firing rule' : 'Alert rule';
  return { key: `rule ${id}`, label: name, about, icon: 'bell', link };
}

function makeSearch(query: string, project: string): Target {
  const link = { to: '/projects/$project/logs', params: { project }, search: { query } } as const;
  return { key: 'search', label: query, about: 'Search the logs', icon: 'search', link };
}
