/** Builds the dashboard into hashed files that the service serves unchanged. */
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
      // The documentation and the upload page are pages of the service; only what they do in a browser is built here.
      input: { index: 'index.html', docs: 'src/docs/docs.ts', 'upload-page': 'src/uploadPage/uploadPage.ts' },
      output: {
        entryFileNames: ({ name }) => (name === 'index' ? 'assets/[name]-[hash].js' : '[name].js'),
        codeSplitting: {
          groups: [
            // Separates code that rarely changes, so that browsers keep it cached. Signing in loads no tables or charts.
            { name: 'charts', test: /node_modules.uplot/, priority: 3 },
            {
              name: 'libraries',
              test: /node_modules.(?!@base-ui|@floating-ui|@tanstack.(?:react-)?(?:table|virtual))/,
              priority: 2,
            },
            {
              name: 'guides',
              test: /packages.guides|docs.connect|pages.connect.guides/,
              priority: 2,
            },
            // Only what the pages before signing in use.
            {
              name: 'basics',
              test: /src.(?:browserStorage|ui.(?!CodeBlock|Copy|copying|FilterLink|DataTable|Menu|charts|dialogs|options|forms.(?:CheckboxGroup|RadioGroup|DaysField|MomentField|Switch|TagsField)|hooks.(?:usePageKeys|useDebounced|useConfirmation))|format.(?!names|urls|durations|timeParsing|searchTerms|speeds|userAgents)|queries.(?!deliveries|domainTest|drafts|uploads|entryFiles|errors|file|folders|issues|onboarding|home|log(?:Counts|Differences|Fields|Patterns|Series|s)\.|machine|storage|subject|usage))/,
              priority: 1,
            },
            // Two small pages around one list.
            { name: 'audit', test: /src.pages.audit/, priority: 1 },
            // What the list of rules and the page of one rule share.
            {
              name: 'rules',
              test: /src.pages.alerts.(?:severities|ruleS|ruleActions|FiredText|AlertsHead|SeverityBadge|RuleStateBadge)/,
              priority: 1,
            },
            {
              name: 'components',
              test: /node_modules|src.ui.(?:Copy|copying|DataTable|Menu|charts|dialogs)/,
            },
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
