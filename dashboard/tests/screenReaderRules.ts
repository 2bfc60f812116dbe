/** Checks a page against the accessibility rules. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Pages whose next documents have the rules at hand. Sending half a megabyte to each took a fifth of a check's processor time. */
const prepared = new WeakSet<Page>();

export function findBroken(page: Page): Promise<string[]> {
  return run(page, null);
}

/** Finds text with too little contrast, the only thing that a theme changes. */
export function findFaint(page: Page): Promise<string[]> {
  return run(page, ['color-contrast', 'link-in-text-block']);
}

async function run(page: Page, only: string[] | null): Promise<string[]> {
  await loadRules(page);
  return page.evaluate(async chosen => {
    // `loadRules` put it there.
    const { axe } = window as unknown as { axe: typeof import('axe-core') };
    // Experimental, but speech control needs it: users say the visible name.
    const rules = { 'label-content-name-mismatch': { enabled: true } };
    // Describing every passing element would take longer than finding the failing ones.
    const resultTypes: ['violations'] = ['violations'];
    const asked = chosen === null ? { rules, resultTypes } : { runOnly: chosen, resultTypes };
    const { violations } = await axe.run({ exclude: ['.u-wrap'] }, asked);
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
  }, only);
}

async function loadRules(page: Page): Promise<void> {
  const isLoaded = await page.evaluate(() => {
    // The script below put it there, unless the page has shown the same document since before.
    (window as unknown as { loadAxe?: () => void }).loadAxe?.();
    return 'axe' in window;
  });
  if (!isLoaded) await page.evaluate(axe);
  if (prepared.has(page)) return;
  prepared.add(page);
  await page.addInitScript({ content: `window.loadAxe = () => { delete window.loadAxe; ${axe} };` });
}
