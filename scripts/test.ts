/** `npm test [WORD …]`: runs the test files, all or those whose path contains a word; `--engines` runs the engine suites. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { errorsOf, routes } from '@tapedeck/contract';
import { errorStatuses } from '@tapedeck/contract/vocabulary';
import { beginClients } from './clients/installedClients.ts';
import { hashRepository, repositoryRoot } from './repository.ts';
import { isBuilt, makeBuild, recognizeBuild } from './setup/builds.mjs';
import { findUntestedErrors, forgetObservedErrors, readObservedErrors } from './testing/declaredErrors.ts';
import { rememberRun } from './testing/lastRun.ts';
import { packedPackages } from './testing/packedPackages.mjs';
import { measureUse, orderLongestFirst, runInParallel } from './testing/parallelFiles.ts';
import { processGroupOf } from './testing/processGroups.ts';
import { installTestPrograms } from './testing/programs.ts';
import { formatFailedAgain, formatSlowest, formatSum, formatUse, printFile } from './testing/report.ts';
import type { FileResult } from './testing/results.ts';
import { type Suite, selectTestFiles } from './testing/selection.ts';
import { runTestFile } from './testing/testFile.ts';
import { stopRunningProcesses } from './testing/testProcess.ts';
import { listFiles, TestWorkers } from './testing/testWorkers.ts';

const fileTimeMsMax = { embedded: 300_000, engines: 600_000 }; // far beyond their usual time; stops a hang
const filesAgainMax = 3; // with more failures, timing is not the cause

const words = process.argv.slice(2).filter(word => !word.startsWith('--'));
const suite: Suite = process.argv.includes('--engines') ? 'engines' : 'embedded';
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    stopRunningProcesses();
    process.exit(1);
  });
}
process.exitCode = await runTests();

async function runTests(): Promise<number> {
  const files = selectTestFiles(suite, words);
  if (files.length === 0) {
    console.error(`No test file matches ${words.join(' or ')}: name a part of a path, such as server/tests.`);
    return 1;
  }
  await prepare();
  if (suite === 'engines' && words.length === 0) beginClients();
  const hash = hashRepository();
  forgetObservedErrors();
  const readUse = measureUse();
  const first = await runFiles(files);
  const use = readUse();
  const results = await runFailedAgain(first);
  if (words.length === 0 && suite === 'embedded') results.push(checkDeclaredErrors());
  const sum = {
    passed: results.reduce((total, { passed }) => total + passed, 0),
    failed: results.reduce((total, { failures }) => total + failures.length, 0),
  };
  const isGood = sum.failed === 0 && sum.passed > 0;
  if (words.length === 0 && suite === 'embedded') rememberRun(hash, sum);
  for (const result of results.filter(({ failures }) => failures.length > 0))
    console.log(formatFailedAgain(result));
  if (words.length === 0) {
    console.log(formatSlowest(results));
    console.log(formatUse(use));
  }
  console.log(formatSum(sum));
  return isGood ? 0 : 1;
}

/** A test that lacks a program or the dashboard fails anyway; this explains why beforehand. */
async function prepare(): Promise<void> {
  const sentence = installTestPrograms(suite);
  if (sentence) console.error(sentence);
  spawnSync(process.execPath, [join(repositoryRoot, 'scripts/setup.mjs'), 'serve'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (!isBuilt(repositoryRoot, packedPackages) && !recognizeBuild(repositoryRoot, packedPackages)) {
    const target = { root: repositoryRoot, nodePath: process.execPath };
    await makeBuild(target, packedPackages, { say: (sentence: string) => console.error(sentence) });
  }
}

async function runFiles(files: readonly string[]): Promise<FileResult[]> {
  const results: FileResult[] = [];
  const workers = {
    usual: new TestWorkers(),
    'without fast HTTP': new TestWorkers(),
    'measuring memory': new TestWorkers(undefined, []),
  };
  const take = (result: FileResult) => {
    results.push(result);
    printFile(result);
  };
  await runInParallel(orderLongestFirst(files), async path => {
    const timeMsMax = fileTimeMsMax[suite];
    const group = processGroupOf(path);
    take(await (group === 'own' ? runTestFile(path, timeMsMax) : workers[group].run(path, timeMsMax)));
  });
  const ended = await Promise.all(Object.values(workers).map(each => each.end()));
  for (const result of ended.flat()) take(result);
  return results;
}

/**
 * Reruns failed files once, alone. Reports a file that then passes as unsteady. If a process ended badly, each of its files may be why.
 */
async function runFailedAgain(results: readonly FileResult[]): Promise<FileResult[]> {
  const failed = results.filter(({ failures }) => failures.length > 0);
  if (words.length > 0 || failed.length > filesAgainMax) return [...results];
  const paths = new Set(failed.flatMap(listFiles));
  const second: FileResult[] = [];
  for (const path of paths) {
    const result = await runTestFile(path, fileTimeMsMax[suite]);
    second.push(result);
    printFile(result);
    if (result.failures.length === 0) console.log(`unsteady: ${path} failed once, and passed alone`);
  }
  const others = results.filter(({ path, failures }) => failures.length === 0 && !paths.has(path));
  return [...others, ...second];
}

function checkDeclaredErrors(): FileResult {
  const declaredBy = new Map<string, number>();
  for (const code of routes.flatMap(errorsOf)) declaredBy.set(code, (declaredBy.get(code) ?? 0) + 1);
  const declared = routes.map(route => {
    // Engine suites and the stores' own suites test full disks and dead engines.
    const codes = errorsOf(route).filter(code => errorStatuses[code] < 500);
    // An error that several routes declare comes from a shared mechanism.
    const own = codes.filter(code => declaredBy.get(code) === 1);
    const implied = codes.filter(code => declaredBy.get(code) !== 1);
    return { id: route.id, method: route.method, path: route.path, own, implied };
  });
  const untested = findUntestedErrors(declared, readObservedErrors());
  const failures =
    untested.length === 0 ? [] : [{ name: 'errors that no test provokes', text: untested.join('\n') }];
  const passed = failures.length === 0 ? 1 : 0;
  const result = { path: 'packages/contract', passed, failures, output: '', tookMs: 0, processorMs: 0 };
  printFile(result);
  return result;
}
