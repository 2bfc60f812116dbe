/**
 * Compares pages with pictures in `looks/`. Draws all text in a font of boxes, so that fonts and their rendering change nothing, while every layout
 * shift shows.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { addPerson, addProject } from '../../server/tests/support/people.ts';
import type { TestService } from '../../server/tests/support/service.ts';
import type { TestBrowser } from './browser.ts';
import { comeIn, waitForPage } from './steps.ts';

const folder = path.join(import.meta.dirname, 'looks');
const takenFolder = path.join(import.meta.dirname, '../../.cache/looks');
const blockPixels = 16;
const differenceMax = 14; // of 255, between the means of two blocks: a text line moved by three pixels exceeds it

type Look = {
  name: string;
  address: string;
  width: number;
  isDark?: boolean;
  /** The button to click. */
  button?: RegExp;
};

export const looks: readonly Look[] = [
  { name: 'sign-in', address: '/sign-in', width: 1280 },
  { name: 'sign-in-dark-phone', address: '/sign-in', width: 390, isDark: true },
  { name: 'new-project', address: '/projects/looks', width: 1280 },
  { name: 'new-project-phone', address: '/projects/looks', width: 390 },
  { name: 'go-to', address: '/projects/looks/tokens', width: 1280, button: /^Go to…/ },
  { name: 'new-token-phone', address: '/projects/looks/tokens', width: 390, button: /^New token/ },
  { name: 'guides', address: '/docs/index', width: 1280 },
];

type Looking = { take(look: Look): Promise<Buffer>; page: Page };

/** Signs in as a user whose names are always the same, in an empty project. */
export async function startLooking(service: TestService, browser: TestBrowser): Promise<Looking> {
  const person = await addPerson(service, { name: 'Ada', email: 'ada@example.org', roles: {} });
  const owner = await addPerson(service, { isOwner: true });
  await addProject(owner, 'looks');
  const store = await service.openStore();
  await store.write(({ memberships }) =>
    memberships.put({ userId: person.id, project: 'looks', role: 'admin' }),
  );
  const font = (await readFile(path.join(folder, 'boxes.ttf'))).toString('base64');
  const { page } = await browser.openPage();
  const take = async ({ address, width, isDark = false, button }: Look): Promise<Buffer> => {
    await page.setViewportSize({ width, height: 860 });
    await page.emulateMedia({ colorScheme: isDark ? 'dark' : 'light', reducedMotion: 'reduce' });
    await page.context().clearCookies();
    if (address.startsWith('/projects')) await comeIn(page, person, address);
    else await page.goto(address);
    await waitForPage(page);
    if (button) {
      await page.getByRole('button', { name: button }).click();
      await page.getByRole('dialog').waitFor();
    }
    await page.waitForLoadState('networkidle');
    await page.evaluate(putBoxes, font);
    return page.screenshot({ animations: 'disabled', caret: 'hide' });
  };
  return { take, page };
}

/** Runs in the page. Sets style and font by script, because the page's policy forbids loading them. */
async function putBoxes(base64: string): Promise<void> {
  const face = new FontFace(
    'Boxes',
    Uint8Array.from(atob(base64), letter => letter.charCodeAt(0)),
  );
  document.fonts.add(await face.load());
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('*, ::before, ::after, ::placeholder { font-family: Boxes !important }');
  document.adoptedStyleSheets.push(sheet);
  // Waits for layout and paint.
  await new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)));
}

export async function keepLook(name: string, picture: Buffer): Promise<void> {
  const small = await sharp(picture).png({ palette: true, colours: 64, effort: 10 }).toBuffer();
  await writeFile(path.join(folder, `${name}.png`), small);
}

/** Describes where the page differs from the stored picture. Saves the new screenshot in `.cache/looks`. */
export async function findDifferences(name: string, taken: Buffer, page: Page): Promise<string[]> {
  const kept = await averageBlocks(await readFile(path.join(folder, `${name}.png`)));
  const shown = await averageBlocks(taken);
  if (kept.width !== shown.width || kept.height !== shown.height)
    return [`${name} has ${shown.width} × ${shown.height} pixels instead of ${kept.width} × ${kept.height}`];
  const areas = joinAreas(listDifferentBlocks(kept, shown));
  if (areas.length === 0) return [];
  await mkdir(takenFolder, { recursive: true });
  await writeFile(path.join(takenFolder, `${name}.png`), taken);
  return Promise.all(areas.map(async area => `${name}: ${await describeArea(area, page)}`));
}

type Blocks = { width: number; height: number; columns: number; means: Uint8Array };

async function averageBlocks(picture: Buffer): Promise<Blocks> {
  const { width, height } = await sharp(picture).metadata();
  const [columns, rows] = [Math.ceil(width / blockPixels), Math.ceil(height / blockPixels)];
  const whole = await sharp(picture)
    .removeAlpha()
    .extend({
      right: columns * blockPixels - width,
      bottom: rows * blockPixels - height,
      background: '#888',
    })
    .toColourspace('srgb')
    .toBuffer();
  const means = await sharp(whole).resize(columns, rows, { kernel: 'linear' }).removeAlpha().raw().toBuffer();
  return { width, height, columns, means };
}

type Area = { left: number; top: number; right: number; bottom: number };

function listDifferentBlocks(kept: Blocks, shown: Blocks): Area[] {
  const areas: Area[] = [];
  for (let block = 0; block * 3 < kept.means.length; block += 1) {
    const differences = [0, 1, 2].map(channel =>
      Math.abs((kept.means[block * 3 + channel] ?? 0) - (shown.means[block * 3 + channel] ?? 0)),
    );
    if (Math.max(...differences) <= differenceMax) continue;
    const left = (block % kept.columns) * blockPixels;
    const top = Math.floor(block / kept.columns) * blockPixels;
    areas.push({ left, top, right: left + blockPixels, bottom: top + blockPixels });
  }
  return areas;
}

/** Joins touching blocks into areas. */
function joinAreas(blocks: readonly Area[]): Area[] {
  let areas: Area[] = [];
  for (const block of blocks) {
    const touches = ({ left, top, right, bottom }: Area) =>
      left <= block.right && block.left <= right && top <= block.bottom && block.top <= bottom;
    const joined = [block, ...areas.filter(touches)];
    areas = areas.filter(area => !touches(area));
    areas.push({
      left: Math.min(...joined.map(({ left }) => left)),
      top: Math.min(...joined.map(({ top }) => top)),
      right: Math.max(...joined.map(({ right }) => right)),
      bottom: Math.max(...joined.map(({ bottom }) => bottom)),
    });
  }
  return areas;
}

async function describeArea({ left, top, right, bottom }: Area, page: Page): Promise<string> {
  const middle = [(left + right) / 2, (top + bottom) / 2] as const;
  const shown = await page.evaluate(([x, y]) => {
    const element = document.elementFromPoint(x, y);
    return element && `${element.tagName.toLowerCase()} “${(element.textContent ?? '').trim().slice(0, 40)}”`;
  }, middle);
  return `x ${left} to ${right}, y ${top} to ${bottom}, about ${shown ?? 'nothing'}`;
}
