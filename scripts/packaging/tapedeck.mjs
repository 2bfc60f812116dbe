#!/usr/bin/env node
/** The command of the npm package: says what is missing before anything is loaded that would break on it. */
import { describeMachine, findPlatformProblem } from './platform.mjs';

const nodeMajorMin = 24; // node:sqlite and `await using` without flags
const machine = describeMachine();
const nodeProblem =
  Number.parseInt(machine.nodeVersion, 10) < nodeMajorMin
    ? `Tapedeck needs Node.js ${nodeMajorMin} or newer, and this is ${machine.nodeVersion}: install a newer one from https://nodejs.org.`
    : undefined;

const problem = findPlatformProblem(machine) ?? nodeProblem;
if (problem) {
  console.error(problem);
  process.exitCode = 1;
} else {
  await import('../server/dist/cli.js');
}
