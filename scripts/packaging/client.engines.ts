/**
 * Tests the client's package in an empty folder: installed from its tarball, checked by the compiler, and used against the real service by the
 * examples of its README, pino, winston, a page in Chromium, Bun and Deno. Downloads packages from the registry.
 */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { build } from 'rolldown';
import { type KilledService, startKilledService } from '../../server/tests/clients/killedService.ts';
import { repositoryRoot } from '../repository.ts';
import { findChromium } from '../testing/programs.ts';
import { makeClientPackage } from './clientPackage.ts';
import { testRuntimes } from './clientRuntimes.ts';

const run = promisify(execFile);
const mediaToken = 'media-token-of-the-tests-012345678';
const compressedBytesMax = 12 * 1024;

describe('The package of the client', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tapedeck-client-package-'));
  let service: KilledService;
  const installed = join(folder, 'node_modules/@tapedeck/client');

  before(async () => {
    service = await startKilledService({ TAPEDECK_MEDIA_TOKEN: mediaToken });
    const tarball = await makeClientPackage(folder);
    writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
    cpSync(join(repositoryRoot, 'pictures/files.png'), join(folder, 'pictures/files.png'));
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
    const packages = [tarball, 'pino@9', 'winston@3', '@types/node@20'];
    execFileSync('npm', ['install', ...flags, ...packages], { cwd: folder, stdio: 'pipe' });
  });
  after(async () => {
    await service[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs a program with the machine's Node.js, which may be older than the service's. */
  async function runProgram(program: string, token = service.token): Promise<{ stderr: string }> {
    writeFileSync(
      join(folder, 'program.mjs'),
      program.replaceAll('http://localhost:8787', service.wiretap.url),
    );
    const environment = { ...process.env, TAPEDECK_TOKEN: token, TAPEDECK_MEDIA_TOKEN: mediaToken };
    return await run('node', ['program.mjs'], { cwd: folder, env: environment });
  }

  async function readMessages(query: string): Promise<string[]> {
    const headers = { authorization: service.token };
    const response = await fetch(`${service.wiretap.url}/api/v3/logs?${query}`, { headers });
    // CONTRACT.md, 4.2.
    const { data } = (await response.json()) as { data: { body: string }[] };
    return data.map(({ body }) => body);
  }

  it('has no dependencies, and is small in a browser', () => {
    const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    assert.equal(dependencies, undefined);
    const compressed = gzipSync(readFileSync(join(installed, 'dist/browser.js'))).length;
    assert.ok(compressed < compressedBytesMax, `${compressed} bytes`);
    assert.ok(statSync(join(installed, 'README.md')).size > 0);
  });

  /** Bundles a program for a page. */
  async function bundle(program: string): Promise<string> {
    writeFileSync(join(folder, 'page.js'), program);
    const settings = { cwd: folder, platform: 'browser', write: false, output: { minify: true } } as const;
    const { output } = await build({ input: './page.js', ...settings });
    return output[0].code;
  }

  it('is small in a bundle, which keeps nothing that is not used', async () => {
    const used = await bundle(`import { Tapedeck } from '@tapedeck/client'; globalThis.made = Tapedeck;`);
    const compressed = gzipSync(used).length;
    assert.ok(compressed < compressedBytesMax, `${compressed} bytes`);
    assert.ok(!used.includes('node:'), 'nothing of Node.js is in it');
    const unused = await bundle(`import { Tapedeck } from '@tapedeck/client'; import '@tapedeck/client';`);
    assert.equal(unused.trim(), '');
  });

  const examples = [
    ...readFileSync(join(repositoryRoot, 'client/README.md'), 'utf8').matchAll(/```js\n(.*?)```/gs),
  ].map(([, code = '']) => code);

  for (const [index, code] of examples.entries()) {
    it(`runs example ${index + 1} of its README`, async () => {
      await runProgram(code);
    });
  }

  it('stored what the examples wrote', async () => {
    const rounds = await readMessages('dataset=rounds&order=asc');
    assert.deepEqual(rounds, ['Round 1', 'Round 2', 'Round 3']);
    const messages = await readMessages('dataset=default');
    assert.ok(messages.includes('The round starts') && messages.includes('hello'), messages.join());
  });

  it('type-checks, and rejects wrong types', () => {
    const program = `
      import { Tapedeck, TapedeckError } from '@tapedeck/client';
      import type { TapedeckPinoOptions } from '@tapedeck/client/pino';
      const options: TapedeckPinoOptions = { url: '', token: '', dataset: 'a' };
      const tapedeck = new Tapedeck({ ...options, logs: { spool: 'folder' } });
      const file = await tapedeck.api.getFile({ params: { file: 'a' } });
      const size: number = file.data.size;
      // @ts-expect-error a level that does not exist
      tapedeck.logs.write({ level: 'loud', message: '' });
      // @ts-expect-error params are required
      void tapedeck.api.getFile();
      // @ts-expect-error no such call
      void tapedeck.api.getNothing();
      export { size, TapedeckError };`;
    writeFileSync(join(folder, 'program.ts'), program);
    const compiler = join(repositoryRoot, 'node_modules/typescript/bin/tsc');
    const flags = ['--noEmit', '--checkers', '1', '--strict', '--target', 'es2022', '--types', 'node'];
    for (const resolution of [
      ['--module', 'node16'],
      ['--module', 'esnext', '--moduleResolution', 'bundler', '--skipLibCheck'],
    ]) {
      const words = [compiler, ...flags, ...resolution, 'program.ts'];
      execFileSync(process.execPath, words, { cwd: folder, stdio: 'pipe' });
    }
  });

  const pinoProgram = `
    import pino from 'pino';
    const options = { url: 'http://localhost:8787', token: process.env.TAPEDECK_TOKEN, dataset: 'pino' };
    const transport = pino.transport({ target: '@tapedeck/client/pino', options });
    const logger = pino({ name: 'lobby', level: 'trace' }, transport);
    logger.trace('a trace');
    logger.info({ player: { id: 43 } }, 'a player');
    logger.error(new Error('it broke'));`;

  it('stores what pino writes', async () => {
    await runProgram(pinoProgram);
    assert.deepEqual(await readMessages('dataset=pino&order=asc'), ['a trace', 'a player', 'it broke']);
    assert.deepEqual(await readMessages('dataset=pino&level=error'), ['it broke']);
    assert.deepEqual(await readMessages('dataset=pino&metadata.player.id=43&resource=lobby'), ['a player']);
  });

  it('reports a refused token once in a program with pino', async () => {
    const { stderr } = await runProgram(pinoProgram, 'a-token-that-nobody-made');
    assert.match(stderr, /^tapedeck: [^\n]+\n$/);
  });

  it('stores what winston writes before the logger finishes', async () => {
    await runProgram(`
      import winston from 'winston';
      import { TapedeckTransport } from '@tapedeck/client/winston';
      const transport = new TapedeckTransport({ url: 'http://localhost:8787', token: process.env.TAPEDECK_TOKEN, dataset: 'winston' });
      const logger = winston.createLogger({ level: 'http', transports: [transport], format: winston.format.colorize() });
      for (let index = 0; index < 2000; index++) logger.warn('entry ' + index, { player: { id: index } });
      logger.http('a request');
      logger.debug('too quiet');
      logger.end();
      await new Promise(resolve => logger.on('finish', resolve));
      process.exit(0);`);
    const newest = await readMessages('dataset=winston&limit=2');
    assert.deepEqual(newest, ['a request', 'entry 1999']);
    assert.equal((await readMessages('dataset=winston&level=warn&limit=100&page=20')).length, 100);
  });

  for (const [ending, code, message] of [
    ['an exception', `setTimeout(() => { throw new Error('it broke'); })`, /^uncaughtException: it broke/],
    ['a rejection', `void Promise.reject(new Error('it broke'))`, /^unhandledRejection: it broke/],
  ] as const) {
    it(`stores what winston writes about ${ending} that ends the program`, async () => {
      const dataset = ending.replace(' ', '-');
      const program = `
        import winston from 'winston';
        import { TapedeckTransport } from '@tapedeck/client/winston';
        Error.stackTraceLimit = 100;
        const options = { url: 'http://localhost:8787', token: process.env.TAPEDECK_TOKEN, dataset: '${dataset}', batchDelayMs: 60000 };
        const transport = new TapedeckTransport({ ...options, handleExceptions: true, handleRejections: true });
        winston.createLogger({ transports: [transport] }).info('before');
        const dive = depth => (depth > 0 ? dive(depth - 1) : eval(${JSON.stringify(code)}));
        dive(80);`;
      await assert.rejects(runProgram(program), { code: 1 });
      const [last, first] = await readMessages(`dataset=${dataset}`);
      assert.equal(first, 'before');
      assert.match(last ?? '', message);
    });
  }

  it('works in a page, and sends the last entries when the page is left', async () => {
    const program = readFileSync(join(installed, 'dist/browser.js'));
    const page = `<script type="module">
      import { Tapedeck } from '/client.js';
      const { logs } = new Tapedeck({ url: '${service.wiretap.url}', token: '${service.token}', logs: { dataset: 'page', batchDelayMs: 60000 } });
      logs.write({ level: 'info', message: 'opened' });
      await logs.flush();
      logs.write({ level: 'info', message: 'left' });
      document.title = 'written';
    </script>`;
    const server = createServer((request, response) => {
      const isProgram = request.url === '/client.js';
      response.setHeader('Content-Type', isProgram ? 'text/javascript' : 'text/html');
      response.end(isProgram ? program : page);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    // A TCP server has an address with a port.
    const { port } = server.address() as AddressInfo;
    const browser = await chromium.launch({ executablePath: findChromium()!, args: ['--no-sandbox'] });
    try {
      const tab = await browser.newPage();
      await tab.goto(`http://127.0.0.1:${port}/`);
      await tab.waitForFunction("document.title === 'written'");
      await tab.goto('about:blank');
      const deadline = performance.now() + 10_000;
      for (let messages: string[] = []; messages.length < 2; ) {
        assert.ok(performance.now() < deadline, `only ${messages.join()} arrived`);
        messages = await readMessages('dataset=page');
        if (messages.length < 2) await wait(20);
      }
      assert.deepEqual(await readMessages('dataset=page&order=asc'), ['opened', 'left']);
    } finally {
      await browser.close();
      server.close();
    }
  });

  testRuntimes({ folder, mediaToken, open: () => service });
});
