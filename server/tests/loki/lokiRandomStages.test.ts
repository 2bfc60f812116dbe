/** Random templates and filters behind `json`: service and package must answer them alike over odd lines. QUERIES=500 tries more of them. */
import { after, it } from 'node:test';
import fc from 'fast-check';
import { startTestService } from '../support/service.ts';
import { openLoki } from './lokiEntries.ts';
import { requireSame, storeLines } from './memberLines.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const client = await openLoki(service);
await storeLines(client);
const numRuns = Number(process.env.QUERIES ?? 60);

const label = fc.constantFrom('status', 'path', 'ms', 'zone', 'x', 'y', 'user_id', 'level', 'app', 'none');
const target = fc.constantFrom('status', 'path', 'zone', 'x', 'y');
const text = fc.constantFrom('', '-', ' ', '/a', '5', '0', 'é', '}', '"');
const template = fc
  .array(
    fc.oneof(
      text,
      label.map(name => `{{.${name}}}`),
      label.map(name => `{{ .${name} -}} `),
    ),
    {
      maxLength: 4,
    },
  )
  .map(pieces => JSON.stringify(pieces.join('')));
const sought = fc.constantFrom('5', '500', '/a', '-', 'north', '', 'é', ' ', '"', 'unknown');
const stage = fc.oneof(
  template.map(written => `| line_format ${written}`),
  fc.tuple(target, template).map(([name, written]) => `| label_format ${name}=${written}`),
  fc.tuple(target, label).map(([name, from]) => `| label_format ${name}=${from}`),
  label.map(name => `| drop ${name}`),
  fc.uniqueArray(label, { minLength: 1, maxLength: 3 }).map(names => `| keep ${names.join()}`),
  fc
    .tuple(fc.constantFrom('|=', '!=', '|~', '!~'), sought)
    .map(([sign, value]) => `${sign} ${JSON.stringify(value)}`),
  fc
    .tuple(label, fc.constantFrom('=', '!=', '=~', '!~'), sought)
    .map(([name, sign, value]) => `| ${name}${sign}${JSON.stringify(value)}`),
);

it('the log store and the parser agree on random stages over odd lines', async () => {
  const drawn = fc.tuple(
    fc.array(stage, { minLength: 1, maxLength: 5 }),
    fc.constantFrom('| __error__=""', ''),
    fc.uniqueArray(
      label.filter(name => name !== 'app'), // groups by an alias leave entries without a resource unnamed
      { maxLength: 2 },
    ),
  );
  const check = ([parts, filter, by]: [string[], string, string[]]) =>
    requireSame(
      client,
      `sum by (${by.join()}) (count_over_time({dataset="members"} | json ${filter} ${parts.join(' ')} [10m]))`,
    );
  await fc.assert(fc.asyncProperty(drawn, check), { numRuns });
});
