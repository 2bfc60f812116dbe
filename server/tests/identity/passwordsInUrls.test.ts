/** `tapedeck config` hides passwords in URLs. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { showSettings } from '../../src/config.ts';

describe('a URL is shown without what may be a password', () => {
  const rows: [string, string, string][] = [
    ['DATABASE_URL', 'postgres://u:hunter2@h:5432/d', 'postgres://u:***@h:5432/d'],
    ['DATABASE_URL', 'postgres://u@h/d', 'postgres://u@h/d'],
    ['DATABASE_URL', 'postgres://u:hunter2@hunter2@h/d', 'postgres://u:***@h/d'],
    ['DATABASE_URL', 'postgres://u:hun%2Fter2@h/d', 'postgres://u:***@h/d'],
    ['DATABASE_URL', 'postgres://u:hunter2,hunter2@h/d', 'postgres://u:***@h/d'],
    ['DATABASE_URL', 'postgres://u:12/hunter2@h/d', '(set)'],
    ['DATABASE_URL', 'postgres://u:12?hunter2@h/d', '(set)'],
    ['DATABASE_URL', 'postgres://u:12#hunter2@h/d', '(set)'],
    ['DATABASE_URL', 'postgres://u:12/hunter2%40h/d', '(set)'],
    [
      'DATABASE_URL',
      'postgres://h/d?user=u&password=hunter2&sslmode=require',
      'postgres://h/d?user=***&password=***&sslmode=require',
    ],
    ['DATABASE_URL', 'postgres://h/d?sslpassword=hunter2#hunter2', 'postgres://h/d?sslpassword=***'],
    ['CLICKHOUSE_URL', 'http://u:hunter2@hunter2@h:8123', 'http://u:***@h:8123'],
    ['CLICKHOUSE_URL', 'http://u:1/hunter2@h', '(set)'],
    ['S3_ENDPOINT', 'https://u:hunter2@h/path', 'https://u:***@h/path'],
  ];
  const bucket = { S3_BUCKET: 'b', S3_ACCESS_KEY_ID: 'i', S3_SECRET_ACCESS_KEY: 's' };
  for (const [name, given, shown] of rows) {
    it(`${name}=${given}`, () => {
      const settings = { ...(name === 'S3_ENDPOINT' && bucket), [name]: given };
      const environment = Object.entries(settings).map(([key, value]) => [`TAPEDECK_${key}`, value]);
      const all = showSettings(Object.fromEntries(environment));
      assert.equal(all.find(setting => setting.name === `TAPEDECK_${name}`)?.value, shown);
    });
  }

  it('several', () => {
    const settings = {
      TAPEDECK_CLICKHOUSE_URL: 'http://u:hunter2@one:8123, http://u:1/hunter2@two,http://u:hunter2@three/x',
      TAPEDECK_CLICKHOUSE_CLUSTER: 'shards',
    };
    const all = showSettings(settings);
    const shown = all.find(({ name }) => name === 'TAPEDECK_CLICKHOUSE_URL')?.value;
    assert.equal(shown, 'http://u:***@one:8123,(set),http://u:***@three/x');
  });
});
