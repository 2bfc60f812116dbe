/** `npm run bench [NAME …] [-- --data=DIRECTORY --cuts=NUMBER]`: runs the benchmarks named, or all of them, and prints tables. */

import { archives } from './archives.ts';
import { authentication } from './authentication.ts';
import type { Bench } from './bench.ts';
import { files } from './files.ts';
import { filesLibrary } from './filesLibrary.ts';
import { home } from './home.ts';
import { idle } from './idle.ts';
import { moving } from './installationMove.ts';
import { journalKills } from './journalKills.ts';
import { lists } from './lists.ts';
import { logDisk } from './logDisk.ts';
import { logIntake } from './logIntake.ts';
import { logJournals } from './logJournals.ts';
import { logKills } from './logKills.ts';
import { logMixed } from './logMixed.ts';
import { logNeedles } from './logNeedles.ts';
import { logPeers } from './logPeers.ts';
import { logProtocols } from './logProtocols.ts';
import { logQueries } from './logQueries.ts';
import { logql } from './logql.ts';
import { logqlPeers } from './logqlPeers.ts';
import { logUpgrade } from './logUpgrade.ts';
import { longBodies } from './longBodies.ts';
import { metadata } from './metadata.ts';
import { mixedHour } from './mixedHour.ts';
import { nodesAtRest } from './nodesAtRest.ts';
import { powerCuts } from './powerCuts.ts';
import { rules } from './rules.ts';
import { scalingCosts } from './scalingCosts.ts';
import { subjectPages } from './subjectPages.ts';
import { subjects } from './subjects.ts';
import { uploadCuts } from './uploadCuts.ts';
import { uploadNodes } from './uploadNodes.ts';

const benches: readonly Bench[] = [
  authentication,
  files,
  uploadNodes,
  uploadCuts,
  lists,
  archives,
  filesLibrary,
  metadata,
  logIntake,
  logJournals,
  logProtocols,
  logKills,
  journalKills,
  powerCuts,
  rules,
  logQueries,
  logql,
  logqlPeers,
  logNeedles,
  logPeers,
  logMixed,
  mixedHour,
  longBodies,
  home,
  logDisk,
  logUpgrade,
  idle,
  nodesAtRest,
  moving,
  subjects,
  subjectPages,
  scalingCosts,
];

const cutsUsual = 200; // for power-cuts

const words = process.argv.slice(2);
const names = words.filter(word => !word.startsWith('--'));
const unknown = names.find(name => !benches.some(bench => bench.name === name));
if (unknown !== undefined) {
  console.error(
    `There is no benchmark "${unknown}"; there are ${benches.map(({ name }) => name).join(', ')}.`,
  );
  process.exit(1);
}
for (const bench of benches) {
  if (names.length > 0 && !names.includes(bench.name)) continue;
  console.log(`\n## ${bench.name}: ${bench.about}\n`);
  await bench.run(readOption('data'), { cuts: Number(readOption('cuts') ?? cutsUsual) });
}

/** null: not given. */
function readOption(name: string): string | null {
  const option = `--${name}=`;
  return words.find(word => word.startsWith(option))?.slice(option.length) ?? null;
}
