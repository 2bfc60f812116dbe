/** Lists every house rule that a machine can check. */

import { sizeUnits } from './binaryUnits.ts';
import { anyTypes, environment, keysByPattern, requestsInHttp } from './boundaries.ts';
import { builtFiles } from './builds.ts';
import { openingSentences, otherOpenings, reasonsOfAssertions, silencedChecks } from './comments.ts';
import { cycles } from './cycles.ts';
import { decisions, map, namesInDocuments } from './documents.ts';
import { exportedNames } from './exports.ts';
import { directions } from './importDirections.ts';
import { spreadLiterals } from './literals.ts';
import { lockFile } from './lockFile.ts';
import { logStoreLayering } from './logStoreLayers.ts';
import { packageEntryPoints, packageReadmes, readmeNames } from './packages.ts';
import { reachability } from './reachability.ts';
import type { Rule } from './rule.ts';
import { fileSizes, functionSizes, parameterCounts } from './sizes.ts';
import { everyTestRuns, noSleeps } from './testing.ts';
import { circles } from './typeCycles.ts';
import { fileNames, tradeWords, words } from './words.ts';

export const rules: readonly Rule[] = [
  directions,
  cycles,
  circles,
  logStoreLayering,
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
  otherOpenings,
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
