/** However a request target is spelled, files get the same response with and without fast HTTP, from disk and from memory. */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { compose, talk } from '../support/rawHttp.ts';
import { makeDirectory, makeStoppedClock, startTestService, type TestService } from '../support/service.ts';
import { makeSound, mediaToken, pathOf, uploadFile } from '../support/uploading.ts';

type Heard = { status: number; headers: Record<string, string>; body: string };

const clock = makeStoppedClock();
const directory = await makeDirectory();
after(() => directory[Symbol.asyncDispose]());

function start(fastHttp: 'true' | 'false'): Promise<TestService> {
  const environment = {
    TAPEDECK_MEDIA_TOKEN: mediaToken,
    TAPEDECK_FAST_HTTP: fastHttp,
    TAPEDECK_PUBLIC_URL: 'http://media.example.org',
  };
  return startTestService({ environment, dataDir: directory.path, clock });
}

/** Spells targets of `<project>/<key>`, whose key has a folder, a space and a letter beyond ASCII. */
const spellings: Readonly<Record<string, (path: string) => string>> = {
  'as returned': path => path,
  'an encoded slash after the project': path => path.replace('/default/', '/default%2F'),
  'the same in lower case': path => path.replace('/default/', '/default%2f'),
  'an encoded slash before the project': path => path.replace('/media/', '/media%2F'),
  'an encoded slash in the key': path => path.replace('/clips/', '/clips%2F'),
  'the same in lower case, in the key': path => path.replace('/clips/', '/clips%2f'),
  'an encoded letter of the route': path => path.replace('/media/', '/%6dedia/'),
  'an encoded letter of the project': path => path.replace('/default/', '/%64efault/'),
  'an encoded letter of the key': path => path.replace('/clips/', '/c%6Cips/'),
  'escapes in lower case': path => path.replaceAll(/%[0-9A-F]{2}/g, code => code.toLowerCase()),
  'a decomposed letter beyond ASCII': path => path.replaceAll('%C3%A4', 'a%CC%88'),
  'escapes of escapes': path => path.replaceAll('%', '%25'),
  'an invalid escape': path => `${path}%zz`,
  'a truncated escape': path => `${path}%4`,
  'an escape of invalid UTF-8': path => path.replace('/clips/', '/clips%FF/'),
  'an encoded NUL': path => `${path}%00`,
  'an encoded question mark': path => `${path}%3Fw=1`,
  'a plus for the space': path => path.replaceAll('%20', '+'),
  'an extra slash before the route': path => `/${path}`,
  'an extra slash before the project': path => path.replace('/media/', '/media//'),
  'an extra slash after the project': path => path.replace('/default/', '/default//'),
  'an extra slash in the key': path => path.replace('/clips/', '/clips//'),
  'a slash at the end': path => `${path}/`,
  'a dot segment': path => path.replace('/default/', '/default/./'),
  'two dots': path => path.replace('/default/', '/default/x/../'),
  'two encoded dots': path => path.replace('/default/', '/default/x/%2e%2e/'),
  'two dots that leave the project': path => path.replace('/default/', '/other/../default/'),
  'a backslash': path => path.replace('/clips/', '/clips\\'),
  'an encoded backslash': path => path.replace('/clips/', '/clips%5C'),
  'a semicolon': path => `${path};a=b`,
  'only a question mark': path => `${path}?`,
  'an unknown query': path => `${path}?x=1`,
  'a query with a slash': path => `${path}?x=/a//b`,
  'a bad width': path => `${path}?w=7`,
  'a download': path => `${path}?download=1`,
  'a number sign': path => `${path}#top`,
  'an encoded number sign': path => `${path}%23top`,
  'the whole URL': path => `http://media.example.org${path}`,
  'the whole URL of a foreign host': path => `http://else.example.org${path}`,
  'other letter case in the route': path => path.replace('/media/', '/Media/'),
  'other letter case in the project': path => path.replace('/default/', '/Default/'),
  'other letter case in the key': path => path.replace('/clips/', '/Clips/'),
  'no key': () => '/media/default/',
  'no key and no slash': () => '/media/default',
  'no project': () => '/media/',
  'an empty project': path => path.replace('/default/', '//'),
  'an unknown project': path => path.replace('/default/', '/nobody/'),
};
const methods = ['GET', 'HEAD', 'POST', 'OPTIONS'];
const headerLines: readonly Readonly<Record<string, string>>[] = [
  {},
  { Range: 'bytes=5-9' },
  { Range: 'bytes=90000000-' },
  { 'If-None-Match': '*' },
  { 'X-Request-Id': 'abc' },
];

const responses: Record<string, Map<string, Heard>> = { true: new Map(), false: new Map() };

before(async () => {
  let path = '';
  {
    await using service = await start('true');
    path = pathOf((await uploadFile(service, makeSound(), { path: 'clips/of ä' })).url);
  }
  for (const fastHttp of ['true', 'false'] as const) {
    await using service = await start(fastHttp);
    for (const [title, spell] of Object.entries(spellings))
      for (const method of methods)
        for (const headers of headerLines)
          for (const turn of ['first', 'again']) {
            const { answers } = await request(service, `${method} ${spell(path)}`, headers);
            const name = `${title}: ${method} ${JSON.stringify(headers)} ${turn}`;
            responses[fastHttp]!.set(name, answers);
          }
  }
});

async function request(
  service: TestService,
  line: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ answers: Heard }> {
  const asksForHead = line.startsWith('HEAD');
  const sent = compose(line, { ...headers, Connection: 'close' });
  const { answers } = await talk(service.url, [Buffer.from(sent, 'latin1')], { asksForHead });
  const [answer] = answers;
  assert.ok(answer, `${line}: no response`);
  const own = { ...answer.headers, date: '' };
  return {
    answers: { ...answer, headers: 'X-Request-Id' in headers ? own : { ...own, 'x-request-id': '' } },
  };
}

for (const title of Object.keys(spellings)) {
  it(title, () => {
    const rows = [...responses.true!].filter(([name]) => name.startsWith(`${title}:`));
    assert.equal(rows.length, methods.length * headerLines.length * 2);
    for (const [name, answer] of rows) assert.deepEqual(answer, responses.false!.get(name), name);
  });
}

it('serves a file by its target and by encoded slashes in the key, but not after the project', () => {
  const statuses = ['as returned', 'an encoded slash in the key', 'an encoded slash after the project'].map(
    title => responses.true!.get(`${title}: GET {} again`)?.status,
  );
  assert.deepEqual(statuses, [200, 200, 404]);
});
