/** Tests that a pipeline which has seen many lines answers like a new one: it keeps results of templates. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compilePipeline, type Line, parseLogql, type Stage } from '@tapedeck/logql';

const aliases = new Map([['app', 'service_name']]);
const values = ['', 'a', 'A b', '1', '1 a', '5', 'x'.repeat(1_500), '\ufffd'];
const names = ['one', 'two', '__proto__', 'app', 'constructor'];

const templates = [
  '{{.one}}-{{.two}}',
  '{{.one}}{{.two}}',
  '{{upper .one | trim}}{{if eq .two "a"}}yes{{else}}{{.app}}{{end}}',
  '{{.__proto__}} {{.constructor}} {{default "none" .two}}',
  '{{div 10 (int .one)}}', // fails for some values
  '{{with .one}}{{.}}{{end}}',
  '{{$.two}}{{range $name, $value := .}}{{$name}}={{$value}};{{end}}',
  '{{__line__}} {{.one}}',
  '{{__timestamp__ | unixEpoch}} {{.two}}',
  'nothing of the line',
];

/** Gives equal numbers in every run. */
function* listNumbers(): Generator<number> {
  for (let state = 12_345; ; ) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    yield Math.floor(state / 65_536);
  }
}

const numbers = listNumbers();
const choose = <Item>(items: readonly Item[]): Item => {
  const item = items[(numbers.next().value ?? 0) % items.length];
  assert.ok(item !== undefined);
  return item;
};

function makeLine(micros: number): Line {
  const metadata = names.flatMap(name => (choose([true, false]) ? [[name, choose(values)] as const] : []));
  return { micros, text: choose(values), stream: [['service_name', choose(values)]], metadata };
}

function readStages(text: string): readonly Stage[] {
  const query = parseLogql(text);
  assert.ok(query.kind === 'log');
  return query.stages;
}

for (const template of templates)
  test(template, () => {
    const written = JSON.stringify(template);
    const stages = readStages(
      `{a="b"} | label_format two=${written}, three=${written} | line_format ${written}`,
    );
    const process = (line: Line, pipeline = compilePipeline(stages, { aliases, required: null })) => {
      const found = pipeline(line);
      return [found?.text, found?.labels.list()];
    };
    const known = compilePipeline(stages, { aliases, required: null });
    for (let micros = 0; micros < 300; micros++) {
      const line = makeLine(micros * 1_000_000);
      assert.deepEqual(process(line, known), process(line));
    }
  });
