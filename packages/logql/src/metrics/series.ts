/** Numbers over time under labels, as everything that is computed is made of. */
import type { Label } from '../labels/labelSet.ts';
import type { Grouping } from '../language/tree.ts';

/** Moments at which a query is computed. */
export type Steps = { readonly firstMicros: number; readonly stepMicros: number; readonly count: number };

export type Series = {
  /** Labels by name. Empty ones were found to be so by a parser. */
  readonly labels: readonly Label[];
  /** One for each step; null: nothing is there. */
  readonly points: readonly (number | null)[];
};

/** By name, without those that are empty. */
export function sortLabels(labels: readonly Label[]): Label[] {
  return orderLabels(labels.filter(([, value]) => value !== ''));
}

export function orderLabels(labels: readonly Label[]): Label[] {
  return [...labels].sort(([one], [other]) => (one < other ? -1 : 1));
}

/** The same for the same labels, and for no others. */
export function keyOfLabels(labels: readonly Label[]): string {
  return JSON.stringify(labels);
}

/** The labels that a grouping keeps; both are sorted. */
export function chooseLabels(labels: readonly Label[], grouping: Grouping | null): readonly Label[] {
  if (grouping === null) return [];
  if (grouping.isWithout)
    return labels.filter(([name, value]) => value !== '' && !grouping.labels.includes(name));
  return labels.filter(([name]) => grouping.labels.includes(name));
}

/** `{a="b", c="d"}` */
export function formatLabels(labels: readonly Label[]): string {
  return `{${labels.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(', ')}}`;
}

export function compareLabels(one: readonly Label[], other: readonly Label[]): number {
  for (const [index, [name, value]] of one.entries()) {
    const label = other[index];
    if (label === undefined) return 1;
    if (name !== label[0]) return name < label[0] ? -1 : 1;
    if (value !== label[1]) return value < label[1] ? -1 : 1;
  }
  return one.length - other.length;
}
