/** Names prepared statements, so that PostgreSQL parses each SQL text once per connection instead of once per call. */

const namesMax = 200; // several times the store's distinct queries; further texts are parsed on every call

export type StatementNames = {
  /** undefined: send the text without a name. */
  nameOf: (sql: string) => string | undefined;
  /** Renames all statements, once the prepared ones have become useless. */
  renew: () => void;
};

export function buildStatementNames(): StatementNames {
  const names = new Map<string, string>();
  let generation = 1;
  return {
    nameOf: sql => {
      const known = names.get(sql);
      if (known !== undefined || names.size >= namesMax) return known;
      const name = `s${generation}_${names.size + 1}`;
      names.set(sql, name);
      return name;
    },
    renew: () => {
      generation += 1;
      names.clear();
    },
  };
}
