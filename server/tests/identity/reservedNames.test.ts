/** Projects cannot take a name that the service uses: a part of its paths, a host, or another project's name. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { createProject, updateProject } from '@tapedeck/contract/projects';
import { isReservedSlug, listOwnHosts } from '@tapedeck/domain/reservedNames';
import { patterns } from '@tapedeck/domain/vocabulary';
import { readConfig } from '../../src/config.ts';
import { documentPaths } from '../../src/http/documentation/documents.ts';
import { routes } from '../../src/http/routes.ts';
import { addPerson, addProject, addToken } from '../support/people.ts';
import { talk } from '../support/rawHttp.ts';
import { changeDatabase, makeDirectory, startQuietService } from '../support/service.ts';
import { makePicture, uploadFile } from '../support/uploading.ts';

const environment = {
  TAPEDECK_PUBLIC_URL: 'https://Media.Example.org:8443',
  TAPEDECK_HOST: '127.0.0.1',
};
const service = await startQuietService({ environment });
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const slugPattern = new RegExp(patterns.slug);
const dashboard = path.join(import.meta.dirname, '../../../dashboard');

/** Lists the first parts of paths that could be slugs. */
function listFirstParts(paths: readonly string[]): string[] {
  const parts = paths.map(each => each.split('/')[1]!.replace(/\..*$/, ''));
  return [...new Set(parts)].filter(part => slugPattern.test(part)).toSorted();
}

async function readPages(): Promise<string[]> {
  const files = (await readdir(path.join(dashboard, 'src'))).filter(name =>
    /^(?:router|\w+Routes)\.tsx$/.test(name),
  );
  const texts = await Promise.all(files.map(name => readFile(path.join(dashboard, 'src', name), 'utf8')));
  const source = texts.join('\n');
  const pages = [...source.matchAll(/getParentRoute: \(\) => (\w+),\s+(?:id|path): '([^']+)'/g)];
  // Pages below a project begin with the project's path.
  return pages.flatMap(([, parent, page]) =>
    parent === 'projectRoute' || !page!.startsWith('/') ? [] : [page!],
  );
}

describe('reserved names', () => {
  const sources: [string, () => Promise<string[]> | string[], has: string][] = [
    ['each route of the API', () => routes.map(route => route.path), 'media'],
    ['each document', () => documentPaths, 'openapi'],
    ['each page of the dashboard', readPages, 'sign-in'],
    [
      'each file of the dashboard',
      async () => (await readdir(path.join(dashboard, 'dist'))).map(name => `/${name}`),
      'assets',
    ],
  ];
  for (const [title, list, has] of sources) {
    test(title, async () => {
      const parts = listFirstParts(await list());
      assert.ok(parts.includes(has), parts.join(', '));
      assert.deepEqual(
        parts.filter(part => !isReservedSlug(part)),
        [],
      );
    });
  }
  for (const slug of ['projects', 'users', 'audit', 'sign-in', 'openapi', 'v1', 'loki', 'healthz']) {
    test(`${slug}, given or derived from a name`, async () => {
      for (const body of [{ name: 'Mine', slug }, { name: slug.toUpperCase() }])
        assert.equal(await owner.refuse(createProject, { body }), '409 name_taken');
    });
  }
  test('but not names with the same prefix', async () => void (await addProject(owner, 'projects-of-mine')));
});

describe('as a domain', () => {
  const own = '409 name_taken';
  const none = '400 invalid_field';
  const rows: [string, string][] = [
    ['media.example.org', own],
    ['MEDIA.example.ORG', own],
    ['media.example.org:8443', own],
    ['media.example.org:443', own],
    ['media.example.org.', none],
    ['localhost', none],
    ['LocalHost:8787', none],
    ['cdn.localhost', none],
    ['127.0.0.1', none],
    ['127.0.0.1:8787', none],
    ['127.1', none],
    ['0x7f000001', none],
    ['2130706433', none],
    ['203.0.113.7', none],
    ['[::1]', none],
    ['taken.example.org', own],
    ['TAKEN.example.org', own],
    ['taken.example.org:443', own],
    ['cdn.media.example.org', '200'],
    ['example.org', '200'],
    ['free.example.org:8443', '200'],
  ];
  test('that belongs to another project', async () => {
    await addProject(owner, 'first');
    await owner.call(updateProject, {
      params: { project: 'first' },
      body: { cdnDomain: 'taken.example.org' },
    });
  });
  for (const [cdnDomain, expected] of rows) {
    test(`${cdnDomain}: ${expected}`, async () => {
      const input = { params: { project: 'default' }, body: { cdnDomain, cdnEnabled: true } };
      if (expected === '200') await owner.call(updateProject, input);
      else assert.equal(await owner.refuse(updateProject, input), expected);
    });
  }
});

test('lists the public host, the host of the bucket and the listening host as its own', () => {
  const bucket = ['BUCKET', 'ACCESS_KEY_ID', 'SECRET_ACCESS_KEY'].map(name => [`TAPEDECK_S3_${name}`, 'x']);
  const config = readConfig({
    ...Object.fromEntries(bucket),
    TAPEDECK_PUBLIC_URL: 'https://media.example.org/tapedeck',
    TAPEDECK_S3_PUBLIC_URL: 'https://Bucket.example.org:9000/files',
    TAPEDECK_HOST: 'Inside.example.org',
  });
  assert.deepEqual(listOwnHosts(config), ['media.example.org', 'bucket.example.org', 'inside.example.org']);
});

describe('a project that had such names before they were reserved', () => {
  const request = async (host: string, target: string, url: string) => {
    const { answers } = await talk(
      url,
      [`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nAccept: text/html\r\n\r\n`],
      {
        answersMax: 1,
      },
    );
    return answers[0];
  };

  const rows: [slug: string, domain: string, serves: 'the file' | 'the dashboard'][] = [
    ['users', 'files.example.org', 'the file'],
    ['users', 'media.example.org', 'the dashboard'],
    ['game', 'media.example.org', 'the file'],
  ];
  for (const [slug, domain, serves] of rows) {
    test(`${slug} at ${domain} serves ${serves}`, async () => {
      await using directory = await makeDirectory();
      const options = { environment, dataDir: directory.path };
      let key = '';
      {
        await using before = await startQuietService(options);
        const person = await addPerson(before, { isOwner: true, email: 'before@example.org' });
        await changeDatabase(
          before,
          `INSERT INTO projects SELECT '${slug}', name, '${domain}', 1, retention, bytes_max, files_max, created_at, deleted_at,
            revision, log_retention, library FROM projects WHERE slug = 'default'`,
        );
        await changeDatabase(before, 'UPDATE access_revision SET revision = revision + 1');
        await changeDatabase(before, `UPDATE projects SET revision = (SELECT revision FROM access_revision)`);
        const { token } = await addToken(person, { project: slug });
        key = (await uploadFile(before, await makePicture(), {}, { token })).url.split('/').at(-1)!;
      }
      await using again = await startQuietService(options);
      const answer = await request(domain, `/${slug}/${key}`, again.url);
      assert.equal(answer?.status, 200);
      assert.equal(
        answer?.headers['content-type'],
        serves === 'the file' ? 'image/png' : 'text/html; charset=utf-8',
      );
      if (serves !== 'the file') return;
      const page = await request(domain, '/sign-in', again.url);
      assert.equal(page?.headers['content-type'], 'text/html; charset=utf-8');
    });
  }
});
