/** The examples of Loki's documentation with their results. Lines and labels are as in `stages.ts`. */
import type { Outcome } from './stages.ts';

const parsed = (text: string, labels: Record<string, string>): Outcome => [text, labels];
const kept = (text: string): Outcome => [text, {}];

const request =
  '{"protocol": "HTTP/2.0", "servers": ["129.0.1.1", "10.2.1.3"], "request": {"time": "6.032", "method": "GET", "host": "foo.grafana.net", "size": "55", "headers": {"Accept": "*/*", "User-Agent": "curl/7.68.0"}}, "response": {"status": 401, "size": "228", "latency_seconds": "6.031"}}';
const flattened = {
  protocol: 'HTTP/2.0',
  request_time: '6.032',
  request_method: 'GET',
  request_host: 'foo.grafana.net',
  request_size: '55',
  request_headers_Accept: '*/*',
  request_headers_User_Agent: 'curl/7.68.0',
  response_status: '401',
  response_size: '228',
  response_latency_seconds: '6.031',
};
const heroku = 'at=info method=GET path=/ host=grafana.net fwd="124.133.124.161" service=8ms status=200';
const nginx =
  '0.191.12.2 - - [10/Jun/2021:09:14:29 +0000] "GET /api/plugins/versioncheck HTTP/1.1" 200 2 "-" "Go-http-client/2.0" "13.76.247.102, 34.120.177.193" "TLSv1.2" "US" ""';
const packed = '{"container": "myapp", "pod": "pod-3223f", "_entry": "original log message"}';
const frontend =
  'level=debug ts=2020-10-02T10:10:42.092268913Z caller=logging.go:66 traceID=a9d4d8a928d8db1 msg="POST /api/prom/api/v1/query_range (200) 1.5s"';
const alarm =
  'caller=level.go:66 level2=error ts=2020-10-02 latency=250ms table=cortex_2021 duration=2m size2=5MB status=504';

export const documentedStages: readonly (readonly [stages: string, text: string, outcome: Outcome])[] = [
  ['| json', request, parsed(request, flattened)],
  [
    '| json first_server="servers[0]", ua="request.headers[\\"User-Agent\\"]"',
    request,
    parsed(request, { first_server: '129.0.1.1', ua: 'curl/7.68.0' }),
  ],
  [
    '| json server_list="servers", headers="request.headers"',
    request,
    parsed(request, {
      server_list: '["129.0.1.1", "10.2.1.3"]',
      headers: '{"Accept": "*/*", "User-Agent": "curl/7.68.0"}',
    }),
  ],
  ['| json servers', request, parsed(request, { servers: '["129.0.1.1", "10.2.1.3"]' })],
  ['| json a="[\\"protocol\\"]"', request, parsed(request, { a: 'HTTP/2.0' })],
  ['| json a="request[\\"headers\\"].Accept"', request, parsed(request, { a: '*/*' })],
  [
    '| logfmt',
    heroku,
    parsed(heroku, {
      at: 'info',
      method: 'GET',
      path: '/',
      host: 'grafana.net',
      fwd: '124.133.124.161',
      service: '8ms',
      status: '200',
    }),
  ],
  ['| logfmt host, fwd_ip="fwd"', heroku, parsed(heroku, { host: 'grafana.net', fwd_ip: '124.133.124.161' })],
  ['| logfmt | status >= 200 and status < 300 | keep at', heroku, parsed(heroku, { at: 'info' })],
  ['| logfmt | service > 10ms', heroku, null],
  [
    '| pattern `<ip3> - - <_> "<method> <uri> <_>" <status> <size3> <_> "<agent>" <_>`',
    nginx,
    parsed(nginx, {
      ip3: '0.191.12.2',
      method: 'GET',
      uri: '/api/plugins/versioncheck',
      status: '200',
      size3: '2',
      agent: 'Go-http-client/2.0',
    }),
  ],
  [
    '| regexp "(?P<method>\\\\w+) (?P<path>[\\\\w|/]+) \\\\((?P<status>\\\\d+?)\\\\) (?P<duration>.*)"',
    'POST /api/prom/api/v1/query_range (200) 1.5s',
    parsed('POST /api/prom/api/v1/query_range (200) 1.5s', {
      method: 'POST',
      path: '/api/prom/api/v1/query_range',
      status: '200',
      duration: '1.5s',
    }),
  ],
  ['| unpack', packed, parsed('original log message', { container: 'myapp', pod: 'pod-3223f' })],
  ['| unpack | container = "other"', packed, null],
  ['| unpack != "message"', packed, null],
  [
    '| logfmt | line_format "{{.msg}}" | regexp "(?P<method>\\\\w+) (?P<path>[\\\\w|/]+) \\\\((?P<status>\\\\d+?)\\\\) (?P<duration>.*)" | keep method, path, status, duration',
    frontend,
    parsed('POST /api/prom/api/v1/query_range (200) 1.5s', {
      method: 'POST',
      path: '/api/prom/api/v1/query_range',
      status: '200',
      duration: '1.5s',
    }),
  ],
  ['| logfmt | duration >= 20ms or size2 < 20kB | keep status', alarm, parsed(alarm, { status: '504' })],
  [
    '| logfmt | duration >= 20ms or (status = 200 and size2 < 20KB) | keep status',
    alarm,
    parsed(alarm, { status: '504' }),
  ],
  ['| logfmt | latency >= 20ms | size2 == 20KB | keep status', alarm, null],
  ['| logfmt | level2 = "error" , status >= 500 | keep status', alarm, parsed(alarm, { status: '504' })],
  ['| logfmt | table =~ `cortex_2\\d+` | keep table', alarm, parsed(alarm, { table: 'cortex_2021' })],
  [
    '| logfmt | line_format "{{.latency}} {{.duration}}" | keep status',
    alarm,
    parsed('250ms 2m', { status: '504' }),
  ],
  [
    '| logfmt | label_format l=latency, both=`{{.latency}}-{{.status}}` | keep l, both, latency',
    alarm,
    parsed(alarm, { l: '250ms', both: '-504' }),
  ],
  [
    '| logfmt | label_format status=`{{if eq .status "504"}}timeout{{else}}{{.status}}{{end}}` | keep status',
    alarm,
    parsed(alarm, { status: 'timeout' }),
  ],
  [
    '| json | drop request_host, protocol="HTTP/2.0" | keep protocol, request_host, response_status',
    request,
    parsed(request, { response_status: '401' }),
  ],
  [
    '| json | keep protocol=~"HTTP.*", request_method',
    request,
    parsed(request, { protocol: 'HTTP/2.0', request_method: 'GET' }),
  ],
  [
    '|= ip("0.191.12.2") | pattern `<a> <_>` | a = ip("0.191.0.0/16")',
    nginx,
    parsed(nginx, { a: '0.191.12.2' }),
  ],
  // With several alternatives, Loki searches for a network's text, and its grammar replaces the first chain with a further one.
  ['|= ip("0.191.0.0/16") or "nowhere"', nginx, null],
  ['|= ip("0.191.12.2") or "nowhere"', nginx, kept(nginx)],
  ['|= "nowhere" or ip("34.120.0.0/16")', nginx, null],
  ['|= "nowhere" or "US"  or ip("34.120.0.0/16")', nginx, kept(nginx)],
  ['|= "nowhere" or ip("13.76.247.102") or "elsewhere"', nginx, null],
  ['!= ip("0.191.0.0/16") or "nowhere"', nginx, null],
  ['!= "nowhere" or ip("34.121.0.0/16")', nginx, kept(nginx)],
  ['|~ "nowhere" or ip("13.76.247.1..")', nginx, kept(nginx)],
  // A dropped label does not come back: the stream still has it.
  ['| drop level | json | level = "INFO"', '{"level": "INFO"}', null],
  [
    '| drop level | json | level_extracted = "INFO" | keep level_extracted',
    '{"level": "INFO"}',
    parsed('{"level": "INFO"}', { level_extracted: 'INFO' }),
  ],
  ['| label_format level="new" | level = "new"', 'x', parsed('x', { level: 'new' })],
  ['| label_format level=ms | ms = ""', 'x', parsed('x', { level: '250' })],
  ['| label_format foo=""', 'x', parsed('x', { foo: '' })],
  // `job` is an alias of `app` here.
  ['| line_format "{{.job}} {{.app}}"', 'x', kept('shop shop')],
  ['| label_format a=`{{.job}}`', 'x', parsed('x', { a: 'shop' })],
  ['| drop job | app = "shop"', 'x', kept('x')],
  // A filter may compare a label although an earlier filter failed on another one.
  ['| level > 5 | ms > 300', 'x', null],
  [
    '| logfmt --strict | b = "2"',
    'a=1 b=2 c="',
    parsed('a=1 b=2 c="', {
      a: '1',
      b: '2',
      __error__: 'LogfmtParserErr',
      __error_details__: 'logfmt syntax error at pos 12 : unterminated quoted value',
    }),
  ],
];

export const documentedTemplates: readonly (readonly [template: string, line: string])[] = [
  ['{{ToUpper "This is a string" | ToLower}}', 'this is a string'],
  [
    '{{ alignLeft 5 "hello world"}}|{{ alignRight 5 "world hello"}}|{{ alignRight 7 "hi" }}',
    'hello|hello|     hi',
  ],
  ['{{ b64enc "hello" }} {{ b64dec "aGVsbG8=" }}', 'aGVsbG8= hello'],
  ['{{ .size | bytes }}', '3000'],
  ['{{ ceil 123.001 }} {{ floor 123.9999 }}', '124 123'],
  ['{{ if contains "he" "hello" }} yes {{end}}', ' yes '],
  [
    '{{ if contains .nothing "ErrTimeout" }} timeout {{else if contains "he" "hello"}} yes {{else}} no {{end}}',
    ' timeout ',
  ],
  ['{{ count "a|b" "banana b" }}', '5'],
  ['{{ default "-" "" }}{{ default "-" "foo" }}', '-foo'],
  ['{{ divf 10 2 4 }} {{ div 7 2 }} {{ mod 10 3 }}', '1.25 3 1'],
  ['{{ .took | duration_seconds }} {{ "1h1m1s" | duration }}', '1.5 3661'],
  [
    '{{ range $q := fromJson "[{\\"name\\": \\"a\\"}, {\\"name\\": \\"b\\"}]" }}{{ if eq $q.name "b" }}found {{ $q.name }}{{ end }}{{ end }}',
    'found b',
  ],
  ['{{ if hasPrefix "he" "hello" }}yes{{end}} {{ hasSuffix "llo" "hello" }}', 'yes true'],
  ['{{ indent 4 "alignLeft" }}|{{ nindent 2 "b" }}', '    alignLeft|\n  b'],
  ['{{ max 1 2 3 }} {{ maxf 1 2.5 3 }} {{ min 1 2 3 }} {{ minf 1 2.5 1.5 }}', '3 3 1 1'],
  ['{{ mul 5 2 3 }} {{ mulf 5.5 2 2.5 }}', '30 27.5'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as Go writes groups
  ['{{ regexReplaceAll "(a*)bc" "aaabc abc" "${1}a" }}', 'aaaa aa'],
  ['{{ regexReplaceAllLiteral "(ts=)" "ts=5" "timestamp=" }}', 'timestamp=5'],
  ['{{ repeat 3 "hello" }}', 'hellohellohello'],
  ['{{ Replace "This is a string" " " "-" -1 }} {{ replace " " "_" "a b c" }}', 'This-is-a-string a_b_c'],
  [
    '{{ round 123.555555 3 }} {{ round 123.88571428571 5 .2 }} {{ round 1234.5 -2 }}',
    '123.556 123.88572 1200',
  ],
  ['{{ sub 5 2 }} {{ subf 5.5 1.5 0.5 }} {{ addf 3.5 2 5 }}', '3 3.5 10.5'],
  [
    '{{ substr 0 5 "hello world" }}{{ substr 6 11 "hello world" }}{{ substr 6 -1 "hello world" }}',
    'helloworldworld',
  ],
  ['{{ title "hello world from_here o\'neil" }}', "Hello World From_here O'Neil"],
  ['{{ toDate "2006-01-02" "2021-11-02" }}', '2021-11-02 00:00:00 +0000 UTC'],
  [
    '{{ Trim "!!!hello world!!!" "!" }} {{ trimAll "$" "$5.00" }} {{ TrimLeft "- hello" "- " }}',
    'hello world 5.00 hello',
  ],
  [
    '{{ trimPrefix "-" "-hello" }} {{ TrimPrefix "  hello" "  " }} {{ trimSuffix "-" "hello-" }} {{ TrimSuffix "a.b" ".b" }}',
    'hello hello hello a',
  ],
  [
    '{{ trunc 5 "hello world" }} {{ trunc -5 "hello world" }} {{ trunc 50 "hello" }} {{ trunc -50 "hello" }}',
    'hello world hello hello',
  ],
  ['{{ "1679577215" | unixToTime | date "2006-01-02T15:04:05Z" }}', '2023-03-23T13:13:35Z'],
  [
    '{{ unixToTime "1679577215000" | unixEpochMillis }} {{ unixToTime "1679577215000000" | unixEpochNanos }}',
    '1679577215000 1679577215000000000',
  ],
  [
    '{{ toDateInZone "2006-01-02T15:04:05.999" "UTC" "2023-03-10T01:32:14.8" | unixEpochMillis }}',
    '1678411934800',
  ],
  ['{{ urlencode "https://grafana.com/a?b=c d&e=~f" }}', 'https%3A%2F%2Fgrafana.com%2Fa%3Fb%3Dc+d%26e%3D~f'],
  ['{{ printf "The IP address was %s" .ip }}', 'The IP address was 10.1.2.3'],
  ['{{ printf "%-10.3s|%10.3s|" .app .app }}', 'sho       |       sho|'],
  ['{{ printf "%t %v %d%%" true 1.5 50 }}', 'true 1.5 50%'],
  [
    '{{ printf "%d" "x" }} {{ printf "%s" }} {{ printf "%s" "a" "b" }}',
    '%!d(string=x) %!s(MISSING) a%!(EXTRA string=b)',
  ],
  [
    '{{ printf "%6.2f|%-8.1f|%+d|%x|%08.3f" 3.14159 2.25 5 "hi" 3.14159 }}',
    '  3.14|2.2     |+5|6869|0003.142',
  ],
  ['{{ __line__ | trunc 1 }}{{ __timestamp__ | unixEpochNanos }}', 'x1700000000000000000'],
  ['{{ __timestamp__ | date "15:04:05.000 PM Mon 2 January" }}', '22:13:20.000 PM Tue 14 November'],
  [
    '{{ $x := fromJson "{\\"a\\": [1, 2.5, null, true, \\"s\\"]}" }}{{ $x.a }} {{ index $x.a 1 }} {{ len $x.a }} {{ $x }}',
    '[1 2.5 <nil> true s] 2.5 5 map[a:[1 2.5 <nil> true s]]',
  ],
  ['{{ range $i, $v := fromJson "[5, 6]" }}{{ if $i }},{{ end }}{{ $v }}{{ else }}none{{ end }}', '5,6'],
  ['{{ range fromJson "[]" }}x{{ else }}none{{ end }}', 'none'],
  [
    '{{ range fromJson "[1,2,3,4]" }}{{ if eq . 3.0 }}{{ break }}{{ end }}{{ if eq . 2.0 }}{{ continue }}{{ end }}{{ . }}{{ end }}',
    '1',
  ],
  ['{{ if or (eq .app "a") (eq .app "shop") }}1{{ end }}{{ if and .app (not .nothing) }}2{{ end }}', '12'],
  ['{{ with $y := .ms }}{{ $y }}{{ end }}{{ $z := 1 }}{{ $z = 2 }}{{ $z }}', '2502'],
  ['{{ if gt (.took | duration) 1.0 }}slow{{ end }} {{ if lt (float64 .ms) 300.5 }}ok{{ end }}', 'slow ok'],
  ['{{ .app | default "x" | upper | printf "%s!" }} {{ "a" | eq "a" }}', 'SHOP! true'],
  ['{{ js "it\'s <b> & \\"c\\" = \\\\" }}', 'it\\\'s \\u003Cb\\u003E \\u0026 \\"c\\" \\u003D \\\\'],
  ['{{ index "abc" 1 }}', '98'],
  ['{{ "\\u00e9" | len }} {{ \'a\' }}', '2 97'],
  ['a{{- /* aside */ -}}  b', 'ab'],
  ['{{ "{{" }} {{ "}}" }}', '{{ }}'],
];
