#!/usr/bin/env node
/** The command of the npm package. Reports missing requirements before loading anything that would fail without them. */
import { describeMachine, findPlatformProblem } from './platform.mjs';

const nodeMajorMin = 24; // for node:sqlite and `await using` without flags
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
