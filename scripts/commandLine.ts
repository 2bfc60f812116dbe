/** Writes scripts/setup/commandLine.json, from which the help is shown before set-up. With --check, only tells whether it is fresh. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { completedShells, listGroups } from '@tapedeck/command-line';
import { runCommandLine } from '../server/src/commandLine.ts';
import { commands } from '../server/src/commands/index.ts';

const file = path.join(import.meta.dirname, 'setup/commandLine.json');

async function printCommandLine(): Promise<string> {
  const topics = ['', ...listGroups(commands), ...commands.map(({ name }) => name)];
  const help = topics.map(async topic => [topic, await run(`help ${topic}`)] as const);
  const completion = completedShells.map(async shell => [shell, await run(`completion ${shell}`)] as const);
  const texts = {
    help: Object.fromEntries(await Promise.all(help)),
    completion: Object.fromEntries(await Promise.all(completion)),
  };
  return `${JSON.stringify(texts, null, 2)}\n`;
}

async function run(line: string): Promise<string> {
  let printed = '';
  const print = (text: string) => {
    printed += text;
  };
  await runCommandLine(line.trim().split(' '), { print, complain: print }, {});
  return printed;
}

export async function isCommandLineFresh(): Promise<boolean> {
  return (await readFile(file, 'utf8').catch(() => '')) === (await printCommandLine());
}

if (import.meta.main) {
  if (!process.argv.includes('--check')) await writeFile(file, await printCommandLine());
  else if (!(await isCommandLineFresh())) {
    console.error('scripts/setup/commandLine.json is out of date; run `npm run command-line`.');
    process.exitCode = 1;
  }
}
