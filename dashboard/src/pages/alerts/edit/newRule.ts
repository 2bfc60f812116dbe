/** Reads a new rule from the address, so that any page can link to the form. */

const keys = ['want', 'query', 'dataset', 'by', 'value', 'name'] as const;

export type NewRuleSearch = Partial<Record<(typeof keys)[number], string | undefined>>;

export function readNewRule(raw: Readonly<Record<string, unknown>>): NewRuleSearch {
  const known = keys.flatMap(key => {
    const value = raw[key];
    return typeof value === 'string' && value !== '' ? [[key, value]] : [];
  });
  return Object.fromEntries(known);
}
