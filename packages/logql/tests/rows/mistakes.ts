/** Invalid queries and Loki's messages. */
const lines = (stage: string) => `parse error : stage '${stage}' : `;

export const refusedQueries: readonly (readonly [text: string, sentence: string])[] = [
  // Unexpected tokens.
  ['}', 'parse error at line 1, col 1: syntax error: unexpected }'],
  ['{a="b",}', 'parse error at line 1, col 8: syntax error: unexpected }, expecting IDENTIFIER'],
  ['{a="b" c="d"}', 'parse error at line 1, col 8: syntax error: unexpected IDENTIFIER, expecting , or }'],
  ['{a==1}', 'parse error at line 0, col 3: syntax error: unexpected ==, expecting = or =~ or !~ or !='],
  ['{a}', 'parse error at line 1, col 3: syntax error: unexpected }, expecting = or =~ or !~ or !='],
  ['{a=b}', 'parse error at line 1, col 4: syntax error: unexpected IDENTIFIER, expecting STRING'],
  ['{a=5}', 'parse error at line 1, col 4: syntax error: unexpected NUMBER, expecting STRING'],
  ['{"a"="b"}', 'parse error at line 1, col 2: syntax error: unexpected STRING, expecting IDENTIFIER or }'],
  ['{a.b="c"}', 'parse error at line 1, col 3: syntax error: unexpected ., expecting = or =~ or !~ or !='],
  [
    '{a="b"} |= "c" or',
    'parse error at line 1, col 18: syntax error: unexpected $end, expecting STRING or ip',
  ],
  [
    '{a="b"} |= c',
    'parse error at line 1, col 12: syntax error: unexpected IDENTIFIER, expecting STRING or ip',
  ],
  [
    '{a="b"} | json c=d',
    'parse error at line 1, col 18: syntax error: unexpected IDENTIFIER, expecting STRING',
  ],
  ['{a="b"} | regexp', 'parse error at line 1, col 17: syntax error: unexpected $end, expecting STRING'],
  ['{a="b"} | line_format', 'parse error at line 1, col 22: syntax error: unexpected $end, expecting STRING'],
  ['{a="b"} | label_format c', 'parse error at line 1, col 25: syntax error: unexpected $end, expecting ='],
  ['{a="b"} | drop', 'parse error at line 1, col 15: syntax error: unexpected $end, expecting IDENTIFIER'],
  ['{a="b"} | keep c,', 'parse error at line 1, col 18: syntax error: unexpected $end, expecting IDENTIFIER'],
  ['{a="b"} | unwrap c', 'parse error at line 1, col 11: syntax error: unexpected unwrap'],
  ['{a="b"} | json | unwrap c', 'parse error at line 1, col 18: syntax error: unexpected unwrap'],
  [
    '{a="b"} | logfmt --nope',
    'parse error at line 1, col 20: syntax error: unexpected IDENTIFIER, expecting NUMBER',
  ],
  ['{a="b"} | c', 'parse error at line 1, col 12: syntax error: unexpected $end'],
  ['{a="b"} | c > "1"', 'parse error at line 1, col 15: syntax error: unexpected STRING'],
  ['{a="b"} | c =~ 5', 'parse error at line 1, col 16: syntax error: unexpected NUMBER, expecting STRING'],
  ['{a="b"} | c > ip("10.0.0.1")', 'parse error at line 1, col 15: syntax error: unexpected ip'],
  ['{a="b"} | (c = 1', 'parse error at line 1, col 17: syntax error: unexpected $end'],
  ['{a="b"}[5m]', 'parse error at line 0, col 8: syntax error: unexpected RANGE'],
  ['{a="b"} offset 5m', 'parse error at line 1, col 9: syntax error: unexpected offset'],
  [
    '{a="b"}\n|= "c"\n|= d',
    'parse error at line 3, col 4: syntax error: unexpected IDENTIFIER, expecting STRING or ip',
  ],
  ['rate({a="b"})', 'parse error at line 1, col 13: syntax error: unexpected )'],
  ['rate()', 'parse error at line 1, col 6: syntax error: unexpected )'],
  [
    'rate({a="b"}[1m] offset 5)',
    'parse error at line 1, col 25: syntax error: unexpected NUMBER, expecting DURATION',
  ],
  ['stddev({a="b"})', 'parse error at line 1, col 15: syntax error: unexpected )'],
  [
    'bottomk(he,count_over_time({a="b"}[5h]))',
    'parse error at line 1, col 9: syntax error: unexpected IDENTIFIER',
  ],
  ['topk(-1, rate({a="b"}[1m]))', 'parse error at line 1, col 8: syntax error: unexpected ,'],
  ['vector("1")', 'parse error at line 1, col 8: syntax error: unexpected STRING, expecting NUMBER'],
  ['vector(-1)', 'parse error at line 1, col 8: syntax error: unexpected -, expecting NUMBER'],
  ['1 +', 'parse error at line 1, col 4: syntax error: unexpected $end'],
  [
    'label_replace({a="b"}, "x", "$1", "a", "b")',
    'parse error at line 1, col 22: syntax error: unexpected ,',
  ],
  // Ranges.
  ['rate({a="b"}[])', 'parse error at line 0, col 13: empty duration string'],
  ['rate({a="b"}[5])', 'parse error at line 0, col 13: not a valid duration string: "5"'],
  ['rate({a="b"}[1.5h])', 'parse error at line 0, col 13: not a valid duration string: "1.5h"'],
  ['rate({a="b"}[293y])', 'parse error at line 0, col 13: duration out of range'],
  [`rate({a="b"}[${'9'.repeat(400)}h])`, 'parse error at line 0, col 13: duration out of range'],
  ['rate({a="b"}[-1m])', 'parse error at line 0, col 13: not a valid duration string: "-1m"'],
  ['rate({a="b"}[1m)', "parse error at line 0, col 13: missing closing ']' in duration"],
  // Arguments of aggregations.
  ['rate({a="b"}[1m]) by (a)', 'parse error : grouping not allowed for rate aggregation'],
  [
    'sum_over_time({a="b"} | unwrap c [1m]) by (a)',
    'parse error : grouping not allowed for sum_over_time aggregation',
  ],
  ['max_over_time({a="b"}[1m])', 'parse error : invalid aggregation max_over_time without unwrap'],
  ['bytes_rate({a="b"} | unwrap c [1m])', 'parse error : invalid aggregation bytes_rate with unwrap'],
  ['rate_counter({a="b"}[1m])', 'parse error : invalid aggregation rate_counter without unwrap'],
  [
    'quantile_over_time({a="b"} | unwrap c [1m])',
    'parse error : parameter required for operation quantile_over_time',
  ],
  [
    'count_over_time(5, {a="b"}[1m])',
    'parse error : parameter 5 not supported for operation count_over_time',
  ],
  ['topk(1.5, rate({a="b"}[1m]))', 'parse error : invalid parameter topk(1.5,'],
  ['avg(2, rate({a="b"}[1m]))', 'parse error : unsupported parameter for operation avg(2,'],
  ['sort(rate({a="b"}[1m])) by (a)', "parse error : sort and sort_desc doesn't allow grouping by "],
  // Operators.
  [
    '1 and 2',
    'parse error : unexpected literal for left leg of logical/set binary operation (and): 1.000000',
  ],
  [
    'rate({a="b"}[1m]) unless 2',
    'parse error : unexpected literal for right leg of logical/set binary operation (unless): 2.000000',
  ],
  [
    '{a="b"} == 1',
    'parse error : unexpected type for left leg of binary operation (==): *syntax.MatchersExpr',
  ],
  [
    '{a="b"} | json - 1',
    'parse error : unexpected type for left leg of binary operation (-): *syntax.PipelineExpr',
  ],
  [
    'rate({a="b"}[1m]) + {a="b"}',
    'parse error : unexpected type for right leg of binary operation (+): *syntax.MatchersExpr',
  ],
  // Expressions, patterns, paths and networks.
  ['{a=~"("}', 'parse error : error parsing regexp: missing closing ): `(`'],
  ['{a=~"[b"}', 'parse error : error parsing regexp: missing closing ]: `[b`'],
  ['{a="b"} |~ "["', `${lines('|~ "["')}error parsing regexp: missing closing ]: \`[\``],
  ['{a="b"} |~ `(\\pL`', `${lines('|~ "(\\\\pL"')}error parsing regexp: missing closing ): \`(\\pL\``],
  [
    '{a="b"} |~ `c\\`',
    `${lines('|~ "c\\\\"')}error parsing regexp: trailing backslash at end of expression: \`\``,
  ],
  [
    '{a="b"} |~ "*"',
    `${lines('|~ "*"')}error parsing regexp: missing argument to repetition operator: \`*\``,
  ],
  [
    '{a="b"} | regexp "("',
    'parse error : invalid regexp parser: error parsing regexp: missing closing ): `(`',
  ],
  [
    '{a="b"} | regexp "(.*)"',
    'parse error : invalid regexp parser: at least one named capture must be supplied',
  ],
  [
    '{a="b"} | regexp "(?P<n>.)(?P<n>.)"',
    "parse error : invalid regexp parser: duplicate extracted label name 'n'",
  ],
  [
    'label_replace(rate({a="b"}[1m]), "x", "$1", "a", "(")',
    'parse error : invalid regex in label_replace: error parsing regexp: missing closing ): `^(?:()$`',
  ],
  [
    '{a="b"} | pattern ""',
    'parse error : invalid pattern parser: parse error at line 1, col 1: syntax error: unexpected $end, expecting IDENTIFIER or LITERAL',
  ],
  ['{a="b"} | pattern "c"', 'parse error : invalid pattern parser: at least one capture is required'],
  ['{a="b"} | pattern "<_> c <_>"', 'parse error : invalid pattern parser: at least one capture is required'],
  [
    '{a="b"} | pattern "c <d><e> f"',
    "parse error : invalid pattern parser: found consecutive capture '<d><e>': invalid expression",
  ],
  [
    '{a="b"} | pattern "<c> <c>"',
    'parse error : invalid pattern parser: duplicate capture name (c): invalid expression',
  ],
  ['{a="b"} |> "<c> d"', `${lines('|> "<c> d"')}named captures are not allowed: found '<c>'`],
  ['{a="b"} !> "<_><_>"', `${lines('!> "<_><_>"')}found consecutive capture '<_><_>': invalid expression`],
  [
    '{a="b"} | json c=""',
    `${lines('| json c=""')}cannot parse expression []: syntax error: unexpected $end, expecting LSB or FIELD`,
  ],
  [
    '{a="b"} | json c="d e"',
    `${lines('| json c="d e"')}cannot parse expression [d e]: syntax error: unexpected FIELD`,
  ],
  [
    '{a="b"} | json c="d..e"',
    `${lines('| json c="d..e"')}cannot parse expression [d..e]: syntax error: unexpected DOT, expecting FIELD`,
  ],
  [
    '{a="b"} | json c="d[-1]"',
    `${lines('| json c="d[-1]"')}cannot parse expression [d[-1]]: syntax error: unexpected $end, expecting STRING or INDEX`,
  ],
  [
    '{a="b"} | json c="d[0"',
    `${lines('| json c="d[0"')}cannot parse expression [d[0]: syntax error: unexpected $end, expecting STRING or INDEX`,
  ],
  [
    '{a="b"} | json c="[\\"d\\""',
    `${lines('| json c="[\\"d\\""')}cannot parse expression [["d"]: syntax error: unexpected $end, expecting RSB`,
  ],
  [
    '{a="b"} | logfmt c="d e"',
    `${lines('| logfmt c="d e"')}cannot parse expression [d e]: syntax error: unexpected KEY`,
  ],
  ['{a="b"} | json c="d-e"', `${lines('| json c="d-e"')}cannot parse expression [d-e]: unexpected char -`],
  [
    '{a="b"} | json c="d 1.5"',
    `${lines('| json c="d 1.5"')}cannot parse expression [d 1.5]: cannot use float as array index`,
  ],
  [
    '{a="b"} | json c="d 1x"',
    `${lines('| json c="d 1x"')}cannot parse expression [d 1x]: non-integer value: x`,
  ],
  [
    '{a="b"} | json c="d[9223372036854775808]"',
    `${lines('| json c="d[9223372036854775808]"')}cannot parse expression [d[9223372036854775808]]: syntax error: unexpected $end, expecting STRING or INDEX`,
  ],
  [
    '{a="b"} | logfmt c="d.e"',
    `${lines('| logfmt c="d.e"')}cannot parse expression [d.e]: unexpected char .`,
  ],
  [
    '{a="b"} | logfmt c=""',
    `${lines('| logfmt c=""')}cannot parse expression []: syntax error: unexpected $end, expecting STRING or KEY`,
  ],
  ['{a="b"} | pattern "<é>"', 'parse error : invalid pattern parser: at least one capture is required'],
  ['{a="b"} |= ip("300.0.0.1")', `${lines('|= ip("300.0.0.1")')}ip: invalid pattern: "300.0.0.1"`],
  ['{a="b"} | c = ip("d")', `${lines('| c=ip("d")')}ip: invalid pattern: "d"`],
  ['{a="b"} |~ ip("10.0.0.1")', `${lines('|~ ip("10.0.0.1")')}ip: invalid operation`],
  ['{a="b"} |= "c" | json |~ "["', `${lines('|= "c" |~ "["')}error parsing regexp: missing closing ]: \`[\``],
  ['{a="b"} | json c="" |~ "["', `${lines('|~ "["')}error parsing regexp: missing closing ]: \`[\``],
  [
    '{a="b"} |= "c" | line_format "d" |~ "["',
    `${lines('|~ "["')}error parsing regexp: missing closing ]: \`[\``,
  ],
  // Templates.
  [
    '{a="b"} | line_format "{{ .c | foo }}"',
    `${lines('| line_format "{{ .c | foo }}"')}invalid line template: template: line:1: function "foo" not defined`,
  ],
  [
    '{a="b"} | line_format "{{ if .c }}d"',
    `${lines('| line_format "{{ if .c }}d"')}invalid line template: template: line:1: unexpected EOF`,
  ],
  [
    '{a="b"} | line_format "{{ end }}"',
    `${lines('| line_format "{{ end }}"')}invalid line template: template: line:1: unexpected {{end}}`,
  ],
  [
    '{a="b"} | line_format "{{ .c"',
    `${lines('| line_format "{{ .c"')}invalid line template: template: line:1: unclosed action`,
  ],
  ...(
    [
      ['{{ break }}', '{{break}} outside {{range}}'],
      ['{{ range .c }}{{ end }}{{ continue }}', '{{continue}} outside {{range}}'],
      ['{{ $d }}', 'undefined variable "$d"'],
      ['{{ if $d := .c }}{{ $d }}{{ end }}{{ $d }}', 'undefined variable "$d"'],
      ['{{ .c | 5 }}', 'non executable command in pipeline stage 2'],
      ['{{ define `d` }}', 'unexpected EOF'],
      ['{{ define d }}{{ end }}', 'unexpected "d" in define clause'],
      ['{{ if .c }}{{ define `d` }}{{ end }}{{ end }}', 'unexpected <define> in command'],
      ['{{ define `d` }}{{ else }}{{ end }}', 'unexpected {{else}} in define clause'],
      [
        '{{ define `d` }}e{{ end }}{{ block `d` . }}f{{ end }}',
        'template: multiple definition of template "d"',
      ],
      ['{{ range .c }}{{ define `d` }}{{ end }}', 'unexpected <define> in command'],
      ['{{ block `d` . }}{{ break }}{{ end }}', '{{break}} outside {{range}}'],
      ['{{ `c }}', 'unterminated raw quoted string'],
    ] as const
  ).map(
    ([template, sentence]) =>
      [
        `{a="b"} | line_format "${template}"`,
        `${lines(`| line_format "${template}"`)}invalid line template: template: line:1: ${sentence}`,
      ] as const,
  ),
  [
    '{a="b"} | label_format __error__="c"',
    `${lines('| label_format __error__="c"')}__error__ cannot be formatted`,
  ],
  // Queries that match everything.
  ...['{}', '{a=""}', '{a!="b"}', '{a=~".*"}', '{a=~"b|"}', '{a!~"b"}', 'sum(rate({a=~"b*"}[1m]))'].map(
    text =>
      [
        text,
        'parse error : queries require at least one regexp or equality matcher that does not have an empty-compatible value. ' +
          'For instance, app=~".*" does not meet this requirement, but app=~".+" will',
      ] as const,
  ),
];
