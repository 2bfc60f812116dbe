/** The sidebar of the documentation: guides and areas of the API. */
import type { NavigationGroup, PageFrame } from '@tapedeck/guides/pages';
import type { Reference } from '@tapedeck/guides/reference';
import type { GuidePages } from './guidePages.ts';

export type Shelf = { reference: Reference; guides: GuidePages };

const links = [
  { title: 'Dashboard', url: '/' },
  { title: 'Guides', url: '/docs/index' },
  { title: 'Connecting tools', url: '/docs/connect' },
  { title: 'API', url: '/docs' },
];

/** Groups of guides in the order in which people need them. Other guides come last, by title. */
const guideGroups = [
  {
    title: 'Using the service',
    names: ['index', 'uploads', 'logs', 'clients', 'connect', 'notifications', 'sign-in'],
  },
  { title: 'Running the service', names: ['configuration', 'cli'], folder: 'operations' },
  { title: 'Growing', names: ['moving-up', 'cluster', 'scaling'] },
  { title: 'Tools', names: [], folder: 'connect' },
];

export function frameOf({ reference, guides }: Shelf, url: string): PageFrame {
  const link = (title: string, to: string) => ({ title, url: to, isCurrent: to === url });
  const areaGroups = new Map<string, NavigationGroup['links']>();
  for (const { group, title, slug } of reference.areas)
    areaGroups.set(group, [...(areaGroups.get(group) ?? []), link(title, `/docs/api/${slug}`)]);
  return {
    site: 'Tapedeck',
    links: links.map(each => ({ ...each, isCurrent: each.url === url })),
    navigation: [
      ...listGuides(guides).map(group => ({
        ...group,
        links: group.links.map(each => link(each.title, each.url)),
      })),
      ...[...areaGroups].map(([title, areas]) => ({ title: `API: ${title}`, links: areas })),
    ],
    styles: ['/docs.css', '/docs-frame.css', '/docs-reference.css'],
    scripts: ['/theme.js', '/docs.js'],
    icon: '/mark.svg',
  };
}

function listGuides({ list }: GuidePages): NavigationGroup[] {
  const left = new Set(list);
  const groups = guideGroups.map(({ title, names, folder }) => {
    const named = names.flatMap(name => list.filter(({ url }) => url === `/docs/${name}`));
    const inFolder = list
      .filter(guide => guide.folder === folder)
      .toSorted((a, b) => a.title.localeCompare(b.title));
    const links = [...named, ...inFolder];
    for (const guide of links) left.delete(guide);
    return { title, links };
  });
  const others = [...left].toSorted((a, b) => a.title.localeCompare(b.title));
  return others.length === 0 ? groups : [...groups, { title: 'More', links: others }];
}
