/**
 * Copies Loki's sources from the module cache to the folder `loki` of the current directory, where its `go.mod` finds them. Removes logcli's ability
 * to read a store without a server (`--stdin`, `--store-config`), which would pull in all of Loki and the libraries of three clouds: two thirds of
 * what is compiled.
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const module = 'github.com/grafana/loki';
const localQuery = 'loki/pkg/logcli/query/query.go';

/** Packages needed only to read a store. */
const imports = [
  'cortex_storage "github.com/cortexproject/cortex/pkg/chunk/storage"',
  'util_log "github.com/cortexproject/cortex/pkg/util/log"',
  '"context"',
  '"errors"',
  '"flag"',
  '"github.com/prometheus/client_golang/prometheus"',
  '"github.com/weaveworks/common/user"',
  '"github.com/grafana/loki/pkg/cfg"',
  '"github.com/grafana/loki/pkg/logql/marshal"',
  '"github.com/grafana/loki/pkg/loki"',
  '"github.com/grafana/loki/pkg/storage"',
  '"github.com/grafana/loki/pkg/util/validation"',
];

copySources();
const whole = readFileSync(localQuery, 'utf8');
const withoutCall = cut(whole, '\tif q.LocalConfig != "" {', '\td := q.resultsDirection()');
const withoutStore = cut(withoutCall, '// DoLocalQuery ', '// SetInstant ');
writeFileSync(
  localQuery,
  imports.reduce((source, line) => cut(source, `\t${line}\n`), withoutStore),
);
appendFileSync('go.mod', `\nreplace ${module} => ./loki\n`);

/** Modules that `go mod download` has compared with Go's checksum database. */
function copySources(): void {
  const answer = execFileSync('go', ['mod', 'download', '-json', module], {
    encoding: 'utf8',
    env: { ...process.env, GOFLAGS: '-mod=mod' },
  });
  const { Dir: directory } = JSON.parse(answer);
  for (const name of ['cmd/logcli', 'pkg', 'go.mod'])
    cpSync(join(directory, name), join('loki', name), { recursive: true });
  for (const entry of readdirSync('loki', { recursive: true, withFileTypes: true }))
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644); // the module cache is read-only
}

/** Removes everything from `start` up to `end`, or just `start`. */
function cut(source: string, start: string, end?: string): string {
  const from = source.indexOf(start);
  const to = end === undefined ? from + start.length : source.indexOf(end, from);
  if (from < 0 || to < from) throw new Error(`${localQuery} has no ${JSON.stringify(start)} any more.`);
  return source.slice(0, from) + source.slice(to);
}
