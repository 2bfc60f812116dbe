/** `npm run looks` takes the pictures that tests compare stable pages with. Check what changed before you commit it. */
import { startTestService } from '../../server/tests/support/service.ts';
import { startBrowser } from './browser.ts';
import { buildDashboard } from './build.ts';
import { keepLook, looks, startLooking } from './looks.ts';

await buildDashboard();
await using service = await startTestService();
await using browser = await startBrowser(service.url);
const { take } = await startLooking(service, browser);
for (const look of looks) await keepLook(look.name, await take(look));
