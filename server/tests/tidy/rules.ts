/** Lists every house rule that a machine can check. */
import { anyTypes, environment, keysByPattern, requestsInHttp } from './boundaries.ts';
import { builtFiles } from './builds.ts';
import { circles } from './circles.ts';
import { openingSentences, reasonsOfAssertions, silencedChecks } from './comments.ts';
import { cycles } from './cycles.ts';
import { directions } from './directions.ts';
import { decisions, map, namesInDocuments } from './documents.ts';
import { exportedNames } from './exports.ts';
import { logStoreFloors } from './floors.ts';
import { spreadLiterals } from './literals.ts';
import { lockFile } from './lockFile.ts';
import { packageEntryPoints, packageReadmes, readmeNames } from './packages.ts';
import { reachability } from './reachability.ts';
import type { Rule } from './rule.ts';
import { fileSizes, functionSizes, parameterCounts } from './sizes.ts';
import { everyTestRuns, noSleeps } from './testing.ts';
import { sizeUnits } from './units.ts';
import { fileNames, tradeWords, words } from './words.ts';

export const rules: readonly Rule[] = [
  directions,
  cycles,
  circles,
  logStoreFloors,
  packageEntryPoints,
  packageReadmes,
  readmeNames,
  reachability,
  builtFiles,
  exportedNames,
  fileSizes,
  functionSizes,
  parameterCounts,
  spreadLiterals,
  openingSentences,
  reasonsOfAssertions,
  silencedChecks,
  environment,
  requestsInHttp,
  anyTypes,
  keysByPattern,
  everyTestRuns,
  noSleeps,
  fileNames,
  tradeWords,
  words,
  sizeUnits,
  namesInDocuments,
  map,
  decisions,
  lockFile,
];
