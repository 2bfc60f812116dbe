/** Uses the packed client in any runtime, as its argument says, and prints the results for `clientRuntimes.ts`. */
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Tapedeck } from '@tapedeck/client';

const { work, url, logsToken, mediaToken, name, small, large, spool } = JSON.parse(process.argv[2]);
const headBytes = 9 * 1024 * 1024; // more than the client sends at once
const floodEntries = 100_000;
const floodBytesMax = 4 * 1024 * 1024;

const works = { upload, outlive, fillSpool, emptySpool };
console.log(JSON.stringify(await works[work]()));

/** Uploads a small file from every source, and a large one in pieces. Checks that each comes back unchanged. */
async function upload() {
  const { files } = new Tapedeck({ url, token: mediaToken });
  const bytes = await readFile(small);
  const sources = {
    'a path': small,
    'a file: URL': pathToFileURL(small),
    'a Blob': new Blob([bytes]),
    'a File': new File([bytes], 'mine.png'),
    bytes,
    'a stream of the web': new Blob([bytes]).stream(),
    'a stream of Node.js': createReadStream(small),
    'an async iterable': cut(bytes),
    base64: { base64: bytes.toString('base64') },
    'a large path': large,
  };
  const outcomes = {};
  for (const [source, content] of Object.entries(sources)) {
    let step;
    const options = { path: `${name}/sources`, metadata: { source }, onProgress: now => (step = now) };
    const uploaded = await files.upload(content, options);
    const original = content === large ? await readFile(large) : bytes;
    outcomes[source] = (await isSame(uploaded, original)) && step.loaded === original.length;
  }
  const say = ({ name, status, code }) => [name, status, code].filter(part => part !== undefined).join(' ');
  outcomes['an abort'] = await files.upload(bytes, { signal: AbortSignal.abort() }).catch(say);
  outcomes['no media'] = await files.upload(new Blob(['just words'])).catch(say);
  outcomes['no file'] = await files.upload('none.png').catch(say);
  return outcomes;
}

/** Writes and uploads while the service is killed and restarted; standard input tells when. */
async function outlive() {
  const heard = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const options = { dataset: name, queueEntriesMax: 2000, batchEntriesMax: 200, batchDelayMs: 50 };
  const { logs } = new Tapedeck({ url, token: logsToken, logs: options });
  const told = [];
  const uploading = withResolvers();
  const restarted = withResolvers();
  let isPieceSent = false;
  let written = 0;
  let isEnding = false;
  const write = async () => {
    for (let left = 300; left > 0; left -= isEnding ? 1 : 0) {
      const number = written++;
      const note = error => told.push(error ? error.message : number);
      if (!logs.write({ level: 'info', message: `entry ${number}` }, note)) await logs.ready();
      if (number % 20 === 0) await wait(1);
      if (isPieceSent && told.length > 0) uploading.resolve();
    }
  };
  const original = await readFile(large);
  async function* halt() {
    yield original.subarray(0, headBytes);
    await restarted.promise;
    yield original.subarray(headBytes);
  }
  const onProgress = ({ loaded }) => (isPieceSent ||= loaded > 0);
  const { files } = new Tapedeck({ url, token: mediaToken });
  const sent = files.upload(halt(), { path: `${name}/outlived`, onProgress });
  const writing = write();
  await uploading.promise;
  console.log('under way');
  await heard.next(); // the service was killed
  const flooding = await flood();
  console.log('flooded');
  await heard.next(); // the service runs again
  restarted.resolve();
  isEnding = true;
  await writing;
  const isStored = await logs.flush();
  const isFloodStored = await flooding.logs.flush();
  const isFileSame = await isSame(await sent, original);
  logs.write({ level: 'info', message: 'last words' }); // sent at exit
  const { growthBytes } = flooding;
  return { written, told, isStored, isFileSame, isFloodStored, flooded: flooding.logs.stats(), growthBytes };
}

/** Writes a hundred megabytes of entries while the service is unavailable. */
async function flood() {
  const options = { dataset: `${name}-flood`, queueBytesMax: floodBytesMax };
  const { logs } = new Tapedeck({ url, token: logsToken, logs: options });
  const text = 'x'.repeat(1000);
  const before = process.memoryUsage().rss;
  for (let number = 0; number < floodEntries; number++) {
    logs.write({ level: 'debug', message: `${number} ${text}` });
    if (number % 1000 === 0) await wait(0);
  }
  return { logs, growthBytes: process.memoryUsage().rss - before };
}

async function fillSpool() {
  const options = { dataset: `${name}-spool`, spool, batchEntriesMax: 500 };
  const { logs } = new Tapedeck({ url, token: logsToken, logs: options });
  for (let number = 0; number < 1200; number++) logs.write({ level: 'info', message: `entry ${number}` });
  console.log('written');
  await new Promise(() => setInterval(() => {}, 1000)); // until this process is killed
}

async function emptySpool() {
  return await new Tapedeck({ url, token: logsToken, logs: { spool } }).close();
}

async function isSame(uploaded, original) {
  const response = await fetch(new URL(new URL(uploaded.url).pathname, url));
  return original.equals(Buffer.from(await response.arrayBuffer()));
}

async function* cut(bytes) {
  for (let at = 0; at < bytes.length; at += 50_000) yield bytes.subarray(at, at + 50_000);
}

/** Node.js 20 has no Promise.withResolvers. */
function withResolvers() {
  let resolve;
  const promise = new Promise(fulfil => {
    resolve = fulfil;
  });
  return { promise, resolve };
}
