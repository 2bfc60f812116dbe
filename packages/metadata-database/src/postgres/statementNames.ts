/** Names under which PostgreSQL keeps parsed statements: each text is parsed once a connection, not once a call. */

const namesMax = 200; // several times the distinct queries of the store; texts beyond are parsed at every call

export type StatementNames = {
  /** undefined: the text is sent without a name. */
  nameOf: (sql: string) => string | undefined;
  /** All statements get new names: what connections hold under the old ones is of no use any more. */
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
