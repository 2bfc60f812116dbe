/** The rule that the log store's folders are layered: each imports only those below it. */
import { isTestSupport } from '../../../scripts/sources.ts';
import { listImports, readPackageNames } from './imports.ts';
import type { Finding, Rule } from './rule.ts';

const place = 'packages/log-store/src/';

/** From the top down; the last match decides. The journal does not know ClickHouse, because everything that does lies above it. */
const layers: readonly RegExp[] = [
  /^(index|attachedStore|store|startingEngine)\.ts$/,
  /^operations\//,
  /^operations\/(backup|removals|backfill)\//,
  /^queries\//,
  /^intake\//,
  /^writer\/servers\//,
  /^writer\/ledger\//,
  /^writer\/flushing\//,
  /^writer\/inserted\//,
  /^writer\/schema\//,
  /^writer\/engine\//,
  /^journal\/(disk|bucket)\//,
  /^journal\/\w+\.ts$/,
  /^rows\.ts$/,
  /^blocks\//,
  /^(failures|logger|dayLength)\.ts$/,
];

export const logStoreLayering: Rule = {
  name: 'folders of the log store import only lower ones',
  find: repository => {
    const packageNames = readPackageNames(repository);
    return repository.sources
      .filter(({ path }) => path.startsWith(place) && !isTestSupport(path, repository))
      .flatMap(source => {
        const layer = findLayer(source.path);
        if (layer < 0) {
          const advice =
            'belongs to no layer of the log store: move it into one of its folders, or add a layer to logStoreLayers.ts.';
          return [{ path: source.path, line: 1, advice }];
        }
        return listImports(source, packageNames)
          .filter(({ to }) => to.startsWith(place) && findLayer(to) < layer)
          .map(({ to, line }): Finding => {
            const advice = `imports ${to}, which lies above it: move what both need down, or take it as an argument.`;
            return { path: source.path, line, advice };
          });
      });
  },
};

function findLayer(path: string): number {
  const inside = path.slice(place.length);
  return layers.findLastIndex(layer => layer.test(inside));
}
