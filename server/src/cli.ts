#!/usr/bin/env node
/** The process: its arguments go to the command line, what that says comes out, and its exit code stands. */
import { runCommandLine } from './commandLine.ts';

process.exitCode = await runCommandLine(process.argv.slice(2), {
  print: text => process.stdout.write(text),
  complain: text => process.stderr.write(text),
});
