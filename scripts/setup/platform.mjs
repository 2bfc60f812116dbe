/** Says in one sentence if Tapedeck cannot run on this machine. Run directly, prints it and exits with 1. */
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const nodeMajorMin = 20; // CONTRACT.md, 1
const musl = { x64: '/lib/ld-musl-x86_64.so.1', arm64: '/lib/ld-musl-aarch64.so.1' };
const glibc = { x64: '/lib64/ld-linux-x86-64.so.2', arm64: '/lib/ld-linux-aarch64.so.1' };

export function describeMachine() {
  return {
    platform: process.platform,
    arch: process.arch,
    nodeVersion: process.versions.node,
    libc: process.platform === 'linux' ? detectLibc() : undefined,
  };
}

/** Returns a sentence if the machine cannot run Tapedeck, otherwise undefined. */
export function findPlatformProblem({ platform, arch, nodeVersion, libc }) {
  if (platform === 'win32') {
    return 'Tapedeck runs on Linux and macOS: on Windows, install WSL (wsl --install) and start it from a folder inside WSL.';
  }
  if (platform !== 'linux' && platform !== 'darwin') {
    return `Tapedeck runs on Linux and macOS, not on ${platform}: start it on such a machine or in a Linux container.`;
  }
  if (arch !== 'x64' && arch !== 'arm64') {
    return `Tapedeck runs on 64-bit processors (x64, arm64), and this Node.js is built for ${arch}: install a 64-bit Node.js, or use such a machine.`;
  }
  if (libc === 'musl') {
    return 'Tapedeck needs glibc, and this Linux uses musl (as Alpine does): use Debian, Ubuntu or Fedora, or the container image node:24-slim.';
  }
  if (Number.parseInt(nodeVersion, 10) < nodeMajorMin) {
    return `Tapedeck needs Node.js ${nodeMajorMin} or newer, and this is ${nodeVersion}: install a newer one from https://nodejs.org.`;
  }
  return undefined;
}

/** Checks the loaders, which costs nothing. With both or neither, uses the slow report. */
function detectLibc() {
  const hasMusl = existsSync(musl[process.arch] ?? '');
  if (!hasMusl) return 'glibc';
  if (!existsSync(glibc[process.arch] ?? '')) return 'musl';
  return process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl';
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const problem = findPlatformProblem(describeMachine());
  if (problem) {
    process.stderr.write(`${problem}\n`);
    process.exitCode = 1;
  }
}
