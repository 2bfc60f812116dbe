/** All tools in one list, and those that somebody looks for. */
import { type Guide, groups } from './guide.ts';
import { chatGuides } from './guides/chat.ts';
import { collectorGuides } from './guides/collectors.ts';
import { commandLineGuides } from './guides/commandLine.ts';
import { engineGuides } from './guides/engines.ts';
import { fivemGuides } from './guides/fivem.ts';
import { gameGuides } from './guides/games.ts';
import { lokiLoggerGuides } from './guides/lokiLoggers.ts';
import { nodeGuides } from './guides/node.ts';
import { nodeCollectorGuides } from './guides/nodeCollectors.ts';
import { openTelemetryGuides } from './guides/openTelemetry.ts';
import { openTelemetryJsGuides } from './guides/openTelemetryJs.ts';
import { plainHttpGuides } from './guides/plainHttp.ts';
import { platformGuides } from './guides/platforms.ts';
import { pythonGuides } from './guides/python.ts';
import { pythonCollectorGuides } from './guides/pythonCollectors.ts';
import { screenshotGuides } from './guides/screenshots.ts';
import { shipperGuides } from './guides/shippers.ts';
import { uploadGuides } from './guides/uploads.ts';
import { vectorGuides } from './guides/vector.ts';

/** Group by group. */
export const guides: readonly Guide[] = [
  ...commandLineGuides,
  ...screenshotGuides,
  ...uploadGuides,
  ...fivemGuides,
  ...gameGuides,
  ...engineGuides,
  ...chatGuides,
  ...nodeGuides,
  ...lokiLoggerGuides,
  ...nodeCollectorGuides,
  ...plainHttpGuides,
  ...pythonGuides,
  ...pythonCollectorGuides,
  ...platformGuides,
  ...openTelemetryGuides,
  ...openTelemetryJsGuides,
  ...vectorGuides,
  ...shipperGuides,
  ...collectorGuides,
].toSorted((one, other) => groups.indexOf(one.group) - groups.indexOf(other.group));

export function findGuide(id: string): Guide | undefined {
  return guides.find(guide => guide.id === id);
}

/** Those in which every word occurs, letter case ignored; those whose title begins with the text come first. */
export function searchGuides(text: string): readonly Guide[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return guides;
  return guides
    .map(guide => ({ guide, rank: rankOf(guide, words) }))
    .filter(({ rank }) => rank < unfit)
    .sort((one, other) => one.rank - other.rank)
    .map(({ guide }) => guide);
}

const unfit = 4;

/** Of the word that fits worst. */
function rankOf({ id, title, words, about, group, sends }: Guide, asked: readonly string[]): number {
  const name = title.toLowerCase();
  const known = [id, ...words].join(' ').toLowerCase();
  const rest = [about, group, sends].join(' ').toLowerCase();
  const ranks = asked.map(word => {
    if (name.startsWith(word)) return 0;
    if (name.includes(word)) return 1;
    if (known.includes(word)) return 2;
    return rest.includes(word) ? 3 : unfit;
  });
  return Math.max(...ranks);
}
