/** `npm run check`: types, lint and format, tidiness, then all tests, which include generated files. Ends with a summary of its steps. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { styleText } from 'node:util';
import { hashRepository, repositoryRoot } from './repository.ts';
import { type LastRun, recallRun } from './testing/lastRun.ts';
import { formatSum } from './testing/report.ts';

type Step = { name: string; program: string; args: readonly string[] };
type StepResult = { isGood: boolean; output: string };

const bin = (name: string) => join(repositoryRoot, 'node_modules/.bin', name);
const script = (name: string, ...args: string[]) => ({
  program: process.execPath,
  args: [`scripts/${name}`, ...args],
});

/** Makes the Go-based compiler collect garbage less often, which took a third of its processor time. */
const compilerEnvironment = { GOGC: '400' };

/**
 * Keeps what the compiler found out, for its next run and for the suite that checks the service without its old versions. With four checkers, as by
 * default, each checks the types again that others have checked.
 */
const kept = (name: string) =>
  `--noEmit --checkers 1 --incremental --tsBuildInfoFile .cache/tsc.${name}.json`.split(' ');

/** These steps only read, so they can run side by side. */
const staticSteps: readonly Step[] = [
  { name: 'types', program: bin('tsc'), args: [...kept('root'), '-p', '.'] },
  ...(existsSync(join(repositoryRoot, 'dashboard/tsconfig.json'))
    ? [
        {
          name: 'types of the dashboard',
          program: bin('tsc'),
          args: [...kept('dashboard'), '-p', 'dashboard'],
        },
      ]
    : []),
  { name: 'lint and format', program: bin('biome'), args: ['ci', '--log-level=warn', '.'] },
];
/** Also part of the tests, so a recent test run covers it. */
const tidiness: Step = { name: 'tidiness', program: process.execPath, args: ['server/tests/tidy.test.ts'] };

const startedAt = performance.now();
const run = recallUsableRun();
const steps = run === undefined ? [...staticSteps, tidiness] : staticSteps;
const results = await Promise.all(steps.map(step => runStep(step)));
results.push(await runAllTests());
const failed = results.filter(({ isGood }) => !isGood).length;
console.log(`Checked in ${formatSeconds(startedAt)}.`);
console.log(formatSum({ passed: results.length - failed, failed }));
process.exitCode = failed === 0 ? 0 : 1;

function recallUsableRun(): LastRun | undefined {
  const run = recallRun(hashRepository());
  return run !== undefined && counts(run) ? run : undefined;
}

async function runAllTests(): Promise<StepResult> {
  if (run === undefined) return runStep({ name: 'tests', ...script('test.ts') }, 'inherit');
  const isGood = run.failed === 0;
  const when = run.minutesAgo === 0 ? 'a moment ago' : `${run.minutesAgo} min ago`;
  console.log(
    `${formatMark(isGood)} tests, including tidiness: ${formatSum(run)} ${when} on exactly these files (npm test)`,
  );
  return { isGood, output: '' };
}

/** A user who checks again after a failure wants a new run; in CI, the failure was just reported. */
function counts({ failed }: LastRun): boolean {
  return failed === 0 || process.env.CI !== undefined;
}

async function runStep(step: Step, stdout: 'pipe' | 'inherit' = 'pipe'): Promise<StepResult> {
  const stepStartedAt = performance.now();
  const result = await runProgram(step, stdout);
  console.log(`${formatMark(result.isGood)} ${step.name}: ${formatSeconds(stepStartedAt)}`);
  if (!result.isGood && result.output !== '') console.log(result.output.trimEnd());
  return result;
}

function runProgram({ program, args }: Step, stdout: 'pipe' | 'inherit'): Promise<StepResult> {
  return new Promise(resolve => {
    const child = spawn(program, args, {
      cwd: repositoryRoot,
      env: { ...process.env, ...compilerEnvironment },
      stdio: ['ignore', stdout, stdout],
    });
    let output = '';
    const collect = (chunk: Buffer) => {
      output += chunk.toString();
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    child.once('error', error => resolve({ isGood: false, output: error.message }));
    child.once('close', status => resolve({ isGood: status === 0, output }));
  });
}

function formatMark(isGood: boolean): string {
  return isGood ? styleText('green', 'ok  ') : styleText('red', 'FAIL');
}

function formatSeconds(since: number): string {
  return `${((performance.now() - since) / 1_000).toFixed(1)} s`;
}
