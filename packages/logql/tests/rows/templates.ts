/** Loki's results of templates. The line is `x`. */
export const templateRows: readonly (readonly [template: string, line: string])[] = [
  ['plain', 'plain'],
  ['{{.app}}', 'shop'],
  ['{{ define "t" }}<{{ . }}>{{ end }}{{ template "t" .app }}{{ template "t" .ms }}', '<shop><250>'],
  ['{{ template "t" . }}{{ define "t" }}{{ $.app }}{{ .ms }}{{ end }}', 'shop250'],
  ['{{ block "b" .app }}[{{ . }}]{{ end }}{{ template "b" .ms }}', '[shop][250]'],
  [
    '{{ define "t" }} {{ end }}{{ define "t" }}one{{ end }}{{ define "t" }}{{ end }}{{ template "t" }}',
    'one',
  ],
  [
    '{{ define "down" }}{{ . }}{{ if gt . 0 }}{{ template "down" (sub . 1) }}{{ end }}{{ end }}{{ template "down" 3 }}',
    '3210',
  ],
  ['{{ .app }} {{ .ms }}', 'shop 250'],
  ['{{ __line__ }}', 'x'],
  ['{{ ToLower "AbC" }} {{ ToUpper "AbC" }} {{ lower "AbC" }} {{ upper "AbC" }}', 'abc ABC abc ABC'],
  ['{{ Replace "aaa" "a" "b" 2 }} {{ replace "a" "b" "aaa" }}', 'bba bbb'],
  ['{{ Trim "--a--" "-" }} {{ TrimLeft "--a--" "-" }} {{ TrimRight "--a--" "-" }}', 'a a-- --a'],
  ['{{ TrimPrefix "abc" "a" }} {{ TrimSuffix "abc" "c" }} {{ TrimSpace "  a " }}|', 'bc ab a|'],
  [
    '{{ trimAll "-" "--a--" }} {{ trimPrefix "a" "abc" }} {{ trimSuffix "c" "abc" }} {{ trim " a " }}|',
    'a bc ab a|',
  ],
  ['{{ contains "ho" .app }} {{ hasPrefix "sh" .app }} {{ hasSuffix "x" .app }}', 'true true false'],
  ['{{ if contains "ho" .app }}yes{{ end }}', 'yes'],
  ['{{ indent 2 "a" }}|{{ nindent 2 "a" }}|', '  a|\n  a|'],
  ['{{ repeat 3 "ab" }}', 'ababab'],
  ['{{ trunc 2 "abcdef" }} {{ trunc -2 "abcdef" }} {{ trunc 9 "abc" }}', 'ab ef abc'],
  ['{{ substr 1 3 "abcdef" }} {{ substr 2 -1 "abcdef" }} {{ substr 0 99 "abc" }}', 'bc cdef abc'],
  ['{{ title "one two" }}', 'One Two'],
  [
    '{{ alignLeft 5 "ab" }}|{{ alignRight 5 "ab" }}|{{ alignLeft 2 "abc" }}|{{ alignRight 2 "abc" }}',
    'ab   |   ab|ab|bc',
  ],
  ['{{ regexReplaceAll "a(b)" "abab" "$1-" }}', 'b-b-'],
  ['{{ regexReplaceAllLiteral "a(b)" "ab" "$1" }}', '$1'],
  ['{{ count "a" "banana" }}', '3'],
  ['{{ urlencode "a b/c?d" }} {{ urldecode "a+b%2Fc" }}', 'a+b%2Fc%3Fd a b/c'],
  ['{{ b64enc "abc" }} {{ b64dec "YWJj" }}', 'YWJj abc'],
  ['{{ default "none" .nothing }} {{ default "none" .app }}', 'none shop'],
  ['{{ .nothing | default "none" }}', 'none'],
  ['{{ bytes "2 KB" }} {{ bytes "1KiB" }} {{ bytes "5MB" }}', '2000 1024 5e+06'],
  ['{{ duration "1m30s" }} {{ duration_seconds "250ms" }}', '90 0.25'],
  ['{{ add 1 2 3 }} {{ sub 5 2 }} {{ mul 2 3 4 }} {{ div 7 2 }} {{ mod 7 3 }}', '6 3 24 3 1'],
  ['{{ addf 1.5 2 }} {{ subf 5 1.5 }} {{ mulf 1.5 2 }} {{ divf 10 4 }}', '3.5 3.5 3 2.5'],
  ['{{ max 1 5 3 }} {{ min 4 2 3 }} {{ maxf 1.5 2.5 }} {{ minf 1.5 2.5 }}', '5 2 2.5 1.5'],
  ['{{ ceil 1.1 }} {{ floor 1.9 }} {{ round 1.555 2 }} {{ round 2.5 0 }}', '2 1 1.56 3'],
  ['{{ int "42" }} {{ float64 "3.5" }}', '42 3.5'],
  ['{{ add .ms 1 }} {{ mulf .ms 0.5 }}', '251 125'],
  ['{{ (fromJson "{\\"a\\": {\\"b\\": 5}}").a.b }}', '5'],
  ['{{ range fromJson "[1,2,3]" }}{{ . }},{{ end }}', '1,2,3,'],
  ['{{ range $k, $v := fromJson "{\\"b\\":1,\\"a\\":2}" }}{{ $k }}={{ $v }} {{ end }}', 'a=2 b=1 '],
  ['{{ index (fromJson "[\\"p\\",\\"q\\"]") 1 }}', 'q'],
  ['{{ len "abc" }} {{ len (fromJson "[1,2]") }}', '3 2'],
  ['{{ date "2006-01-02 15:04:05" (unixToTime "1704067200") }}', '2024-01-01 00:00:00'],
  ['{{ toDate "2006-01-02" "2024-02-29" | date "02 Jan 06" }}', '29 Feb 24'],
  ['{{ toDateInZone "2006-01-02 15:04" "Europe/Berlin" "2024-07-01 12:00" | unixEpoch }}', '1719828000'],
  ['{{ toDate "2006-01-02" "2024-01-01" | unixEpochMillis }}', '1704067200000'],
  ['{{ toDate "2006-01-02" "2024-01-01" | unixEpochNanos }}', '1704067200000000000'],
  ['{{ unixEpoch __timestamp__ }}', '1700000000'],
  ['{{ __timestamp__ | date "Mon Jan _2 15:04:05 2006" }}', 'Tue Nov 14 22:13:20 2023'],
  ['{{ printf "%s=%v" "a" 5 }} {{ printf "%5d|%-5d|%05d" 42 42 42 }}', 'a=5    42|42   |00042'],
  ['{{ printf "%.2f %6.1f %e" 3.14159 2.5 1500.0 }}', '3.14    2.5 1.500000e+03'],
  ['{{ printf "%x %X %o %b %c %U" 255 255 8 5 65 65 }}', 'ff FF 10 101 A U+0041'],
  ['{{ printf "%q %10s|%-10s|" "a" "b" "c" }}', '"a"          b|c         |'],
  [
    '{{ eq .app "shop" }} {{ ne .app "shop" }} {{ lt 1 2 }} {{ le 2 2 }} {{ gt 1 2 }} {{ ge 2 2 }}',
    'true false true true false true',
  ],
  [
    '{{ eq .app "a" "shop" }} {{ and true false }} {{ or false true }} {{ not true }}',
    'true false true false',
  ],
  ['{{ if and (eq .app "shop") (gt (int .ms) 200) }}slow{{ else }}fast{{ end }}', 'slow'],
  ['{{ if .nothing }}a{{ else if .app }}b{{ else }}c{{ end }}', 'b'],
  ['{{ with .app }}[{{ . }}]{{ end }}{{ with .nothing }}{{ . }}{{ else }}none{{ end }}', '[shop]none'],
  ['{{ $a := .app }}{{ $a | upper }}', 'SHOP'],
  ['{{ .app | upper | trunc 2 }}', 'SH'],
  ['a {{- .app -}} b', 'ashopb'],
  ['{{/* nothing */}}a', 'a'],
  ['{{ print "a" 1 2 "b" }} {{ println "a" }}', 'a1 2b a\n'],
  ['{{ "a\\tb" }}{{ 1.0 }} {{ 1e6 }} {{ 0x10 }} {{ true }}', 'a\tb1 1e+06 16 true'],
  ['{{ slice "abcdef" 1 3 }}', 'bc'],
  ['{{ html "<a>" }} {{ urlquery "a b" }}', '&lt;a&gt; a+b'],
  // Missing labels are empty, and missing JSON members are null.
  [
    '{{ $x := fromJson "{\\"a\\": null}" }}{{ $x.a }} {{ $x.b }} {{ eq $x.b "b" }} {{ default "d" $x.b }}.{{ .nothing }}.',
    '<no value> <no value> false d..',
  ],
  [
    '{{ range 3 }}{{ . }}{{ end }}{{ range $n := 2 }}{{ $n }}{{ end }}{{ range 0 }}a{{ else }}none{{ end }}',
    '01201none',
  ],
  [
    '{{ add }} {{ addf }} {{ add 9223372036854775807 1 }} {{ mul 4611686018427387904 2 }}',
    '0 0 -9223372036854775808 -9223372036854775808',
  ],
  ['{{ urldecode "a+b%C3%A9%25" }}', 'a b\u00e9%'],
  // Times have Go's methods.
  ['{{ (unixToTime "1673798889").Year }} {{ (unixToTime "1673798889").Month }}', '2023 January'],
  ['{{ (unixToTime "1673798889").Format "02 Jan 06 15:04" }}', '15 Jan 23 16:08'],
  [
    '{{ $t := unixToTime "1673798889" }}{{ "2006" | $t.Format }} {{ ($t.AddDate 0 1 16).Format "Jan 2" }}',
    '2023 Mar 3',
  ],
  [
    '{{ $t := unixToTime "1673798889" }}{{ $u := $t.AddDate 1 0 0 }}{{ $t.Before $u }} {{ $t.After $u }} {{ $t.Equal $t }} {{ $u.Compare $t }} {{ $t.IsZero }}',
    'true false true 1 false',
  ],
  [
    '{{ if gt __timestamp__.Year 2000 }}{{ eq (__timestamp__.Format "2006") (printf "%d" __timestamp__.Year) }}{{ end }}',
    'true',
  ],
  [
    '{{ $t := unixToTime "1673798889902" }}{{ $t.UnixMilli }} {{ $t.Nanosecond }} {{ $t.Weekday }}',
    '1673798889902 902000000 Sunday',
  ],
  // Numbers in texts are Go's literals, without their fraction.
  [
    '{{ int "0x10" }} {{ int "010" }} {{ int "1.9" }} {{ int " 5" }} {{ int "9223372036854775808" }}',
    '16 8 1 0 0',
  ],
  [
    '{{ add "1.9" 1 }} {{ float64 "Inf" }} {{ float64 "-inf" }} {{ maxf (float64 "NaN") 1 }}',
    '2 +Inf -Inf NaN',
  ],
  // Each character stays one.
  ['{{ upper "straße" }} {{ lower "İΣ" }}', 'STRAßE iσ'],
  // No empty match follows another match.
  ['{{ regexReplaceAll "l*" "hello" "-" }} {{ count "l*" "hello" }}', '-h-e-o- 4'],
  // Each value of a list is formatted.
  [
    '{{ printf "%d" (fromJson "[1, null, {\\"a\\": true}]") }}',
    '[%!d(float64=1) <nil> map[%!d(string=a):%!d(bool=true)]]',
  ],
  [
    '{{ printf "%v %d" (fromJson "?") (fromJson "?") }} {{ html (fromJson "?") }}',
    '<nil> %!d(<nil>) &lt;no value&gt;',
  ],
];

/** Go's messages for templates that fail, with the position. */
export const failingTemplates: readonly (readonly [template: string, details: string])[] = [
  [
    '{{ define "t" }}{{ template "t" . }}{{ end }}{{ template "t" . }}',
    'template: line:1:28: executing "t" at <{{template "t" .}}>: exceeded maximum template depth (500)',
  ],
  [
    'a{{ template "none" .app }}',
    'template: line:1:13: executing "line" at <{{template "none" .app}}>: template "none" not defined',
  ],
  [
    '{{ div 1 0 }}',
    'template: line:1:3: executing "line" at <div 1 0>: error calling div: runtime error: integer divide by zero',
  ],
  [
    'a {{ .ms | div 1 | mod 0 }}',
    'template: line:1:19: executing "line" at <mod 0>: error calling mod: runtime error: integer divide by zero',
  ],
  [
    '{{ .app.x }}',
    'template: line:1:7: executing "line" at <.app.x>: can\'t evaluate field x in type string',
  ],
  [
    '{{ if (eq (div 1 0) 1) }}a{{ end }}',
    'template: line:1:11: executing "line" at <div 1 0>: error calling div: runtime error: integer divide by zero',
  ],
  [
    '{{ regexReplaceAll "(" .app "" }}',
    'template: line:1:3: executing "line" at <regexReplaceAll "(" .app "">: error calling regexReplaceAll: error parsing regexp: missing closing ): `(`',
  ],
  [
    '{{ trunc 3 }}',
    'template: line:1:3: executing "line" at <trunc>: wrong number of args for trunc: want 2 got 1',
  ],
  [
    '{{ duration "x" }}',
    'template: line:1:3: executing "line" at <duration "x">: error calling duration: time: invalid duration "x"',
  ],
  [
    '{{ unixToTime "x" }}',
    'template: line:1:3: executing "line" at <unixToTime "x">: error calling unixToTime: unable to parse time \'x\': strconv.ParseInt: parsing "x": invalid syntax',
  ],
  [
    'one\n{{ mod 1 0 }}',
    'template: line:2:3: executing "line" at <mod 1 0>: error calling mod: runtime error: integer divide by zero',
  ],
  // Functions accept the numbers and types of arguments that Go declares.
  [
    '{{ .app | upper | lower "x" }}',
    'template: line:1:18: executing "line" at <lower>: wrong number of args for lower: want 1 got 2',
  ],
  [
    '{{ sub 10 3 2 }}',
    'template: line:1:3: executing "line" at <sub>: wrong number of args for sub: want 2 got 3',
  ],
  [
    '{{ max }}',
    'template: line:1:3: executing "line" at <max>: wrong number of args for max: want at least 1 got 0',
  ],
  ['{{ replace "a" 5 .app }}', 'template: line:1:15: executing "line" at <5>: expected string; found 5'],
  ['{{ trunc "3" .app }}', 'template: line:1:9: executing "line" at <"3">: expected integer; found "3"'],
  ['{{ trunc 1.5 .app }}', 'template: line:1:9: executing "line" at <1.5>: expected integer; found 1.5'],
  [
    '{{ alignLeft .ms .app }}',
    'template: line:1:13: executing "line" at <.ms>: wrong type for value; expected int; got string',
  ],
  [
    '{{ len .app | upper }}',
    'template: line:1:14: executing "line" at <upper>: wrong type for value; expected string; got int',
  ],
  [
    '{{ index (fromJson "[5]") 0 | upper }}',
    'template: line:1:30: executing "line" at <upper>: wrong type for value; expected string; got float64',
  ],
  [
    '{{ .ms | unixEpoch }}',
    'template: line:1:9: executing "line" at <unixEpoch>: wrong type for value; expected time.Time; got string',
  ],
  [
    '{{ upper (fromJson "null") }}',
    'template: line:1:10: executing "line" at <fromJson "null">: invalid value; expected string',
  ],
  // Only functions take arguments.
  ['{{ .app .ms }}', 'template: line:1:3: executing "line" at <.app>: app is not a method but has arguments'],
  [
    '{{ "a" "b" }}',
    'template: line:1:3: executing "line" at <"a">: can\'t give argument to non-function "a"',
  ],
  ['{{ nil }}', 'template: line:1:3: executing "line" at <nil>: nil is not a command'],
  [
    '{{ .nothing.x }}',
    'template: line:1:11: executing "line" at <.nothing.x>: can\'t evaluate field x in type string',
  ],
  [
    '{{ range .app }}a{{ end }}',
    'template: line:1:9: executing "line" at <.app>: range can\'t iterate over shop',
  ],
  // Arguments that functions cannot read.
  [
    '{{ .app | bytes }}',
    'template: line:1:10: executing "line" at <bytes>: error calling bytes: strconv.ParseFloat: parsing "": invalid syntax',
  ],
  [
    '{{ bytes "5 XB" }}',
    'template: line:1:3: executing "line" at <bytes "5 XB">: error calling bytes: unhandled size name: xb',
  ],
  [
    '{{ .ms | duration }}',
    'template: line:1:9: executing "line" at <duration>: error calling duration: time: missing unit in duration "250"',
  ],
  [
    '{{ urldecode "a%zzb" }}',
    'template: line:1:3: executing "line" at <urldecode "a%zzb">: error calling urldecode: invalid URL escape "%zz"',
  ],
  [
    '{{ eq 1 1.5 }}',
    'template: line:1:3: executing "line" at <eq 1 1.5>: error calling eq: incompatible types for comparison: int and float64',
  ],
  [
    '{{ substr -1 9 .app }}',
    'template: line:1:3: executing "line" at <substr -1 9 .app>: error calling substr: runtime error: slice bounds out of range [:9] with length 4',
  ],
];
