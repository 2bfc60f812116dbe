/** Builds the dashboard into hashed files that the service hands out as they are. */
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compressBuild } from './compression.ts';
import { finishRouteTable } from './routeTable.ts';

/** The service that `npm run dev` talks to. */
const serviceUrl = 'http://localhost:8787';

export default defineConfig({
  plugins: [react(), tailwind(), finishRouteTable(), compressBuild()],
  build: {
    // The service's content security policy takes no data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // What rarely changes stays in the browser's cache when the rest does; the door needs no widgets.
            { name: 'charts', test: /node_modules.uplot/, priority: 3 },
            {
              name: 'libraries',
              test: /node_modules.(?!@base-ui|@floating-ui|@tanstack.(?:react-)?(?:table|virtual))/,
              priority: 2,
            },
            {
              name: 'guides',
              test: /packages.connection-guides|docs.connect|pages.connect.guides/,
              priority: 2,
            },
            // Without what pages behind the door alone ask for.
            {
              name: 'parts',
              test: /src.(?:parts.(?!Checks|Choices|CodeBlock|DaysField|FilterLink|Switch|WordsField|pageKeys|settled|typing)|text.(?!addresses|spans|terms|userAgents)|queries.(?!deliveries|domainTrial|errors|firstTakes|home|log(?:Counts|Fields|Patterns|Series|s)\.|machine|storage|usage))/,
              priority: 1,
            },
            { name: 'widgets', test: /node_modules|src.widgets/ },
          ],
        },
      },
    },
  },
  server: {
    proxy: {
      // The origin is rewritten because the service refuses changes that another site asks for.
      '/api': { target: serviceUrl, changeOrigin: true, headers: { Origin: serviceUrl } },
    },
  },
});
