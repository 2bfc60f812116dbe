/** Edge cases of operators between series and numbers: the remaining labels and values. Lines and moment are as in `numbers.ts`. */
type Numbers = Readonly<Record<string, number>>;

const parsed = '{app="shop"} | logfmt';
const counts = `sum by (k) (count_over_time(${parsed} [1m]))`;
const sums = `sum by (k) (sum_over_time(${parsed} | unwrap n [1m]))`;
const each = `sum by (k, n) (sum_over_time(${parsed} | unwrap n [1m]))`;
const byLine = `sum by (k, n) (count_over_time(${parsed} [1m]))`;
const byK = (a: number, b: number): Numbers => ({ '{k="a"}': a, '{k="b"}': b });
const all = (value: number): Numbers => ({ '{}': value });
const ofA = `sum by (k) (count_over_time(${parsed} | k = "a" [1m]))`;
const lines = (value: (n: number) => number | null): Numbers =>
  Object.fromEntries(
    [10, 20, 30, 40, 50, 60].flatMap((n, index) => {
      const found = value(n);
      return found === null ? [] : [[`{k="${index % 2 === 0 ? 'a' : 'b'}", n="${n}"}`, found]];
    }),
  );

export const matchingRows: readonly (readonly [query: string, expected: Numbers])[] = [
  // Sets, matched by some of the labels.
  [`${byLine} and on (k) ${ofA}`, lines(n => (n % 20 === 10 ? 1 : null))],
  [`${byLine} unless on (k) ${ofA}`, lines(n => (n % 20 === 0 ? 1 : null))],
  [`${byLine} and ignoring (n) ${ofA}`, lines(n => (n % 20 === 10 ? 1 : null))],
  [`${byLine} unless ignoring (n) ${ofA}`, lines(n => (n % 20 === 0 ? 1 : null))],
  [`${ofA} or on (k) ${sums}`, byK(3, 120)],
  [`${ofA} or ignoring (k) ${sums}`, { '{k="a"}': 3 }],
  [`${sums} and vector(1)`, {}],
  [`${sums} unless vector(1)`, byK(90, 120)],
  [`${sums} or ${counts} unless ${sums}`, byK(90, 120)],
  // Many to one: the labels of the "many" side stay, plus those that the query names.
  [`${byLine} * on (k) group_left ${counts}`, lines(() => 3)],
  [`${counts} * on (k) group_right ${byLine}`, lines(() => 3)],
  [`${byLine} / ignoring (n) group_left ${sums}`, lines(n => 1 / (n % 20 === 10 ? 90 : 120))],
  [`${byLine} < on (k) group_left ${counts}`, lines(() => 1)],
  [`${byLine} > bool on (k) group_left ${counts}`, lines(() => 0)],
  [`${counts} > on (k) group_right ${byLine}`, lines(() => 3)],
  [`${byLine} + on (k) group_left (k) ${counts}`, lines(() => 4)],
  [`sum(${byLine} * on (k) group_left ${counts})`, all(18)],
  // One to one: only the matching labels stay.
  [`sum(${counts}) + on () sum(${sums})`, all(216)],
  [`${ofA} + ignoring (k) sum(${counts})`, all(9)],
  [`${ofA} + on (nothing) sum(${counts})`, all(9)],
  [`${counts} + on (k, nothing) ${sums}`, byK(93, 123)],
  [`${ofA} + ${counts}`, { '{k="a"}': 6 }],
  [`${ofA} == on (k) ${counts}`, { '{k="a"}': 3 }],
  [`${ofA} != on (k) ${counts}`, {}],
  [`${ofA} != bool on (k) ${counts}`, { '{k="a"}': 0 }],
  [`${counts} >= ${counts}`, byK(3, 3)],
  // Numbers: a comparison keeps the side that is a series.
  [`90 <= ${sums}`, byK(90, 120)],
  [`100 >= ${sums}`, { '{k="a"}': 90 }],
  [`100 >= bool ${sums}`, byK(1, 0)],
  [`${sums} != 1 / 0`, byK(90, 120)],
  [`${sums} == 1 / 0`, {}],
  [`${sums} / 0 == ${sums} / 0`, {}],
  [`${sums} / 0 != ${sums} / 0`, byK(Number.NaN, Number.NaN)],
  [`${sums} / 0 > bool 0`, byK(0, 0)],
  [`${sums} ^ 1000 > 1`, byK(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY)],
  [`0 - ${sums} ^ 1000 < bool 0`, byK(1, 1)],
  [`2 ^ 3 ^ 0 * ${counts}`, byK(6, 6)],
  [`${counts} ^ 2 ^ 2`, byK(81, 81)],
  [`${counts} ^ -1`, byK(1 / 3, 1 / 3)],
  [`${sums} % 0`, byK(Number.NaN, Number.NaN)],
  [`-7 % 3 + ${counts}`, byK(2, 2)],
  [`${counts} + bool 1`, byK(4, 4)],
  [`${counts} * on (k) 2`, byK(6, 6)],
  // Nested aggregations.
  [`sum(${each})`, all(210)],
  [`max by (k) (${each})`, byK(50, 60)],
  [`min by (k) (${each})`, byK(10, 20)],
  [`avg by (k) (${each})`, byK(30, 40)],
  [`count by (k) (${each} > 20)`, byK(2, 2)],
  [`count(${each} > 1000)`, {}],
  [`stddev by (k) (${each})`, byK(Math.sqrt(800 / 3), Math.sqrt(800 / 3))],
  [`topk by (k) (1, ${each})`, lines(n => (n >= 50 ? n : null))],
  [`bottomk by (k) (1, ${each})`, lines(n => (n <= 20 ? n : null))],
  [`topk without (n) (2, ${each})`, lines(n => (n >= 30 ? n : null))],
  [`topk(2, ${each}) and bottomk(5, ${each})`, lines(n => (n === 50 ? n : null))],
  [`sum(topk(2, ${each}))`, all(110)],
  [`max(${sums} / 0)`, all(Number.NaN)],
  [`sum by (k) (${each}) / count by (k) (${each})`, byK(30, 40)],
  [
    `sum by (x) (label_replace(${each}, "x", "$1", "n", "(.).*"))`,
    Object.fromEntries([1, 2, 3, 4, 5, 6].map(x => [`{x="${x}"}`, x * 10])),
  ],
  [`label_replace(vector(1), "a", "b", "", "")`, { '{a="b"}': 1 }],
  // NaN and missing values.
  [`vector(0) / vector(0)`, all(Number.NaN)],
  [`vector(1) == bool vector(1)`, all(1)],
  [`vector(2) - on () vector(1)`, all(1)],
  [`${counts} + sum(count_over_time(${parsed} |= "nothing" [1m]))`, {}],
  [`absent_over_time(${parsed} | k = "c" [1m]) * 5`, { '{app="shop"}': 5 }],
  [`sum(absent_over_time(${parsed} | k = "c" [1m]))`, all(1)],
];

/** Valid queries that have no answer. */
export const unanswerable: readonly (readonly [query: string, sentence: RegExp])[] = [
  ['sum(1)', /^unexpected expr type \(\*syntax\.LiteralExpr\)/],
  ['topk(1, 1 + 1)', /^unexpected expr type \(\*syntax\.LiteralExpr\)/],
  ['sort(2)', /^unexpected expr type \(\*syntax\.LiteralExpr\)/],
  ['label_replace(1, "a", "b", "c", "d")', /^unexpected expr type \(\*syntax\.LiteralExpr\)/],
  [`${byLine} * on (k) ${counts}`, /^multiple matches for labels: many-to-one matching must be explicit/],
  [`${counts} * on (k) ${byLine}`, /^found duplicate series on the right hand-side/],
  [`${counts} * on (k) group_left ${byLine}`, /^found duplicate series on the right hand-side/],
  [`${byLine} * on (k) group_right ${counts}`, /^found duplicate series on the left hand-side/],
  [`max(max_over_time(${parsed} | unwrap k [1m]))`, /^pipeline error: 'SampleExtractionErr' for series/],
];
