#!/usr/bin/env node
/** The entry point: passes the arguments to the command line, prints the output and sets the exit code. */
import { runCommandLine } from './commandLine.ts';

process.exitCode = await runCommandLine(process.argv.slice(2), {
  print: text => process.stdout.write(text),
  complain: text => process.stderr.write(text),
});
