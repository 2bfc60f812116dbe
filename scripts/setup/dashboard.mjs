/** The dashboard's build for browsers. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** @type {import('./builds.mjs').Build} */
export const dashboard = {
  name: 'dashboard',
  source: 'dashboard/index.html',
  sources: [
    'dashboard',
    'client',
    'docs/connect',
    'packages/alerting/src/kinds.ts',
    'packages/alerting/src/targets.ts',
    'packages/contract',
    'packages/guides',
    'packages/log-entries',
    'packages/log-patterns',
    'packages/log-query-language',
    'packages/media-facts/src/mediaFormats.ts',
    'packages/values',
    'package-lock.json',
  ],
  output: 'dashboard/dist',
  proof: 'index.html',
  call: (root, draft) => {
    const vitePath = createRequire(join(root, 'dashboard/package.json')).resolve('vite/package.json');
    return {
      args: [join(dirname(vitePath), 'bin/vite.js'), 'build', '--outDir', draft, '--emptyOutDir'],
      directory: join(root, 'dashboard'),
    };
  },
};
