/** Loads a project's newest file through its own domain, as another site would. */
import { queryOptions } from '@tanstack/react-query';
import { api } from '../api.ts';

type DomainTestOutcome = 'works' | 'fails' | 'untried';

const patienceMs = 10_000; // a CDN may need some seconds to fetch the file
const freshForMs = 60_000;

export function domainTestQuery(project: string, domain: string) {
  return queryOptions({
    queryKey: ['projects', project, 'domain-trial', domain],
    queryFn: async ({ signal }): Promise<DomainTestOutcome> => {
      const { data } = await api.listProjectFiles({ params: { project }, query: { limit: 1 } }, { signal });
      const [newest] = data;
      if (newest === undefined) return 'untried';
      // Avoids caches, which may hold the file from an earlier test.
      const url = `${newest.url}?${newest.type === 'image' ? 'w=320&' : ''}trial=${Date.now()}`;
      return (await loads(newest.type, url)) ? 'works' : 'fails';
    },
    staleTime: freshForMs,
    retry: false,
  });
}

function loads(type: 'image' | 'video' | 'audio', url: string): Promise<boolean> {
  const element = type === 'image' ? new Image() : document.createElement(type);
  return new Promise(resolve => {
    const end = (isLoaded: boolean) => {
      clearTimeout(timer);
      element.removeAttribute('src');
      resolve(isLoaded);
    };
    const timer = setTimeout(() => end(false), patienceMs);
    element.addEventListener(type === 'image' ? 'load' : 'loadedmetadata', () => end(true), { once: true });
    element.addEventListener('error', () => end(false), { once: true });
    if (element instanceof HTMLMediaElement) element.preload = 'metadata';
    element.src = url;
  });
}
