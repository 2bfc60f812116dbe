/** Tests joined ids against a plain comparison of all pairs, over random layers that share subjects. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SubjectList, SubjectSum } from '../ports/logQueries.ts';
import { joinIds } from './joinedIds.ts';

const rounds = 300;
const forms = ['', 'license:', 'id'];
const pick = (below: number) => Math.floor(Math.random() * below);

/** Uses few moments and names, so that ids share most of them. */
function makeLayer(size: number): SubjectList {
  const makeSum = (): SubjectSum => {
    const [one, other] = [pick(4), pick(4)];
    const times = { firstMicros: Math.min(one, other), lastMicros: Math.max(one, other) };
    const within = { ...times, lastMicros: times.firstMicros }; // the subject used this name once, and another later
    const names = ['Ann', 'Bob'].slice(pick(3)).map(name => [name, pick(2) === 0 ? times : within] as const);
    return { ...times, count: 1 + pick(3), names: new Map(names) };
  };
  return new Map(Array.from({ length: size }, () => [`${forms[pick(3)]}${pick(7)}`, makeSum()]));
}

function describe(id: string, layers: readonly SubjectList[]) {
  const sums = layers.flatMap(layer => layer.get(id) ?? []);
  const first = Math.min(...sums.map(({ firstMicros }) => firstMicros));
  const last = Math.max(...sums.map(({ lastMicros }) => lastMicros));
  const used = sums.flatMap(({ names }) => [...names]);
  return {
    first,
    last,
    isFirstClear:
      new Set(used.filter(([, times]) => times.firstMicros === first).map(([name]) => name)).size < 2,
    isLastClear:
      new Set(used.filter(([, times]) => times.lastMicros === last).map(([name]) => name)).size < 2,
    names: [...new Set(sums.flatMap(({ names }) => [...names.keys()]))].sort().join(),
  };
}

function joinByHand(id: string, layers: readonly SubjectList[]): Set<string> {
  const ids = [...new Set(layers.flatMap(layer => [...layer.keys()]))];
  const alike = new Set([id]);
  for (const each of alike) {
    const one = describe(each, layers);
    if (one.names === '') continue;
    const others = ids
      .map(near => ({ near, ...describe(near, layers) }))
      .filter(({ names }) => names === one.names);
    const atFirst = others.filter(other => other.isFirstClear && other.first === one.first);
    const atLast = others.filter(other => other.isLastClear && other.last === one.last);
    const shared = [one.isFirstClear ? atFirst : [], one.isLastClear ? atLast : []];
    for (const some of shared) {
      const found = some.map(({ near }) => near);
      const ofForm = (pattern: RegExp) => found.filter(near => pattern.test(near)).length;
      if (ofForm(/^\d/) < 2 && ofForm(/^license:/) < 2) for (const near of found) alike.add(near);
    }
  }
  return alike;
}

test('finds the same ids as a comparison of all of them, even after a layer is replaced', async () => {
  for (let round = 0; round < rounds; round++) {
    const largest = makeLayer(16);
    for (const others of [[], [makeLayer(pick(4))], [makeLayer(pick(3)), makeLayer(pick(3))]]) {
      const layers = [largest, ...others];
      const joined = await joinIds(layers);
      for (const id of new Set(layers.flatMap(layer => [...layer.keys()]))) {
        const shown = JSON.stringify(layers.map(layer => [...layer]));
        assert.deepEqual(new Set(joined.get(id) ?? [id]), joinByHand(id, layers), `${id} of ${shown}`);
      }
    }
  }
});

test('the id with the most mentions comes first', async () => {
  const sum = (count: number) => ({
    firstMicros: 1,
    lastMicros: 2,
    count,
    names: new Map([['Ann', { firstMicros: 1, lastMicros: 2 }]]),
  });
  const layers = [
    new Map([
      ['a', sum(1)],
      ['bb', sum(1)],
      ['c', sum(1)],
    ]),
    new Map([['c', sum(5)]]),
  ];
  const joined = await joinIds(layers);
  assert.deepEqual(joined.get('a'), ['c', 'a', 'bb']);
});

test('the time per id stays constant when many ids share a name and a moment', async () => {
  const sum = {
    firstMicros: 1,
    lastMicros: 2,
    count: 1,
    names: new Map([['Player', { firstMicros: 1, lastMicros: 2 }]]),
  };
  const ids = 50_000;
  const begunAt = performance.now();
  const joined = await joinIds([new Map(Array.from({ length: ids }, (_, index) => [`id${index}`, sum]))]);
  assert.equal(joined.get('id7')?.length, ids);
  assert.ok(performance.now() - begunAt < 20_000, 'each id was checked once');
});
