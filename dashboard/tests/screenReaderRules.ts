/** The rules of screen readers, held against a page as it stands. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Finds elements that break a rule. */
export function findBroken(page: Page): Promise<string[]> {
  return run(page, null);
}

/** Finds text without enough contrast. A theme changes nothing else on a page. */
export function findFaint(page: Page): Promise<string[]> {
  return run(page, ['color-contrast', 'link-in-text-block']);
}

async function run(page: Page, only: string[] | null): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  return page.evaluate(async chosen => {
    // As the script before this has put it there.
    const { axe } = window as unknown as { axe: typeof import('axe-core') };
    // Experimental, but what speech control needs: the name that is seen works.
    const rules = { 'label-content-name-mismatch': { enabled: true } };
    // To describe every element that keeps the rules takes longer than to find those that do not.
    const resultTypes: ['violations'] = ['violations'];
    const asked = chosen === null ? { rules, resultTypes } : { runOnly: chosen, resultTypes };
    const { violations } = await axe.run({ exclude: ['.u-wrap'] }, asked);
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
  }, only);
}
