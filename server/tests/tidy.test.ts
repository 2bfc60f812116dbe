/** Enforces the house style: runs every rule that a machine can check, and proves that each rule finds its target. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { areDocumentsFresh } from '../../scripts/documents.ts';
import { areGuidesFresh } from '../../scripts/guides.ts';
import { isOpenApiFresh } from '../../scripts/openapi.ts';
import { makeRepository, readRepository } from '../../scripts/sources.ts';
import { examples } from './tidy/examples.ts';
import { rules } from './tidy/rules.ts';

const repository = readRepository();

describe('The house style', () => {
  for (const rule of rules) {
    it(rule.name, () => {
      const findings = rule.find(repository).map(({ path, line, advice }) => `${path}:${line}: ${advice}`);
      assert.ok(findings.length === 0, `\n${findings.join('\n')}`);
    });
  }

  it('openapi.json matches the contract', async () => {
    assert.ok(await isOpenApiFresh(), 'openapi.json is stale: run `npm run openapi` and commit it.');
  });

  it('docs/connect.md matches the catalogue of tools', async () => {
    assert.ok(await areGuidesFresh(), 'docs/connect.md is stale: run `npm run guides` and commit it.');
  });

  it('generated documents match the tables', async () => {
    assert.ok(await areDocumentsFresh(), 'docs/ is stale: run `npm run documents` and commit it.');
  });
});

describe('The rules themselves', () => {
  for (const { rule, title, files, advice } of examples) {
    it(`${rule.name}: ${advice ? 'finds' : 'leaves alone'} ${title}`, () => {
      const found = rule.find(makeRepository(files)).map(finding => finding.advice);
      if (advice === undefined) assert.deepEqual(found, []);
      else assert.match(found[0] ?? 'nothing found', advice);
    });
  }

  it('each rule has an example of what it finds', () => {
    const shown = new Set(examples.filter(({ advice }) => advice).map(({ rule }) => rule));
    assert.deepEqual(
      rules.filter(rule => !shown.has(rule)).map(({ name }) => name),
      [],
    );
  });
});
