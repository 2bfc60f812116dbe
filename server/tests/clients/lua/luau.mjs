/**
 * Runs a platform, a module and a test in Luau, Roblox's own language, as `lua5.4` does: `luau.mjs PACKAGE PLATFORM MODULE TEST`. This
 * Luau has no files and no streams, so all sources become one program, and lines go through functions of this one.
 */
import { readFileSync, readSync, writeSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [luau, platform, ...words] = process.argv.slice(2);
delete WebAssembly.Suspending; // the build for it loses errors after a yield; the other build does not
const { LuauState } = await import(pathToFileURL(luau).href);
const pauseMs = 2; // the other process answers in milliseconds
const sleeper = new Int32Array(new SharedArrayBuffer(4));
let read = '';

function readLine() {
  const chunk = Buffer.alloc(65_536);
  while (!read.includes('\n')) {
    try {
      const bytes = readSync(0, chunk);
      if (bytes === 0) throw new Error('Nobody answers.');
      read += chunk.toString('latin1', 0, bytes);
    } catch (error) {
      pauseOn(error);
    }
  }
  const [line] = read.split('\n', 1);
  read = read.slice(line.length + 1);
  return Buffer.from(line, 'latin1').toString();
}

function writeText(text) {
  for (let left = Buffer.from(text); left.length > 0; ) {
    try {
      left = left.subarray(writeSync(1, left));
    } catch (error) {
      pauseOn(error);
    }
  }
}

/** A pipe that has nothing yet, or is full. */
function pauseOn(error) {
  if (error.code !== 'EAGAIN') throw error;
  Atomics.wait(sleeper, 0, 0, pauseMs);
}

const sources = [platform, path.join(path.dirname(platform), 'platform.lua'), ...words];
const state = await LuauState.createAsync({ readLine, writeText });
for (const source of words) state.loadstring(readFileSync(source, 'utf8'), path.basename(source), true);
const files = sources.map(
  source => `[ [[${source}]] ] = function(...)\n${readFileSync(source, 'utf8')}\nend`,
);
const program = `
local files = { ${files.join(',\n')} }
local readLine, writeText = readLine, writeText
arg = { [0] = [[${platform}]], ${words.map(word => `[[${word}]]`).join(', ')} }
io = {
  stdin = { read = function() return readLine() end },
  stdout = { write = function(_, text) writeText(text) end, flush = function() end },
}
function loadfile(name) return files[name] end
function dofile(name) return files[name]() end
files[arg[0]]()`;
await state.loadstring(program, path.basename(platform), true)();
