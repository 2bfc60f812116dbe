/** Writes a request in the languages that clients of the service use. */
import { rawType, type SampleBody, type SampleRequest, sessionCookie } from './request.ts';

type SampleLanguage = { id: string; title: string; write(request: SampleRequest): string | null };

const quoteShell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const pretty = (value: unknown) => JSON.stringify(value, null, 2);

function writeCurl({ method, url, headers, credential, body }: SampleRequest): string {
  const isUpload = method === 'PUT' && body?.kind === 'bytes'; // which -T sends
  const isDefault = method === 'GET' || (method === 'POST' && body !== null) || isUpload;
  const chosen = method === 'HEAD' ? '-I ' : isDefault ? '' : `-X ${method} `;
  const lines = [`curl ${chosen}${quoteShell(url)}`];
  if (credential === 'token') lines.push('-H "Authorization: $TOKEN"');
  if (credential === 'session') lines.push(`-b "${sessionCookie}=$SESSION"`);
  for (const [name, value] of headers) lines.push(`-H ${quoteShell(`${name}: ${value}`)}`);
  if (body?.kind === 'json')
    lines.push("-H 'Content-Type: application/json'", `-d ${quoteShell(pretty(body.value))}`);
  if (body?.kind === 'form') lines.push(`-F file=@${body.file}`);
  if (body?.kind === 'bytes') {
    if (!isUpload) lines.push(`-H 'Content-Type: ${body.type}'`);
    lines.push(isUpload ? `-T ${body.file}` : `--data-binary @${body.file}`);
  }
  if (body?.kind === 'text')
    lines.push(`-H 'Content-Type: ${body.type}'`, `--data-binary ${quoteShell(body.text)}`);
  return lines.join(' \\\n  ');
}

function writeJavaScript({ method, url, headers: more, credential, body }: SampleRequest): string {
  const headers = [
    ...(credential === 'token' ? ['Authorization: token'] : []),
    ...(credential === 'session' ? [`Cookie: \`${sessionCookie}=\${session}\``] : []),
    ...(typeOf(body) === null ? [] : [`'Content-Type': '${typeOf(body)}'`]),
    ...more.map(([name, value]) => `'${name}': '${value}'`),
  ];
  const lines = [
    ...(body?.kind === 'form'
      ? ['const form = new FormData();', `form.set('file', file, '${body.file}');`]
      : []),
    `const response = await fetch('${url}', {`,
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length > 0 ? [`  headers: { ${headers.join(', ')} },`] : []),
    ...(body === null ? [] : [`  body: ${writeScriptBody(body)},`]),
    '});',
    'console.log(response.status, await response.text());',
  ];
  return lines.join('\n').replace("', {\n});", "');");
}

function writeScriptBody(body: SampleBody): string {
  if (body.kind === 'json') return `JSON.stringify(${pretty(body.value).replaceAll('\n', '\n  ')})`;
  if (body.kind === 'text') return JSON.stringify(body.text);
  return body.kind === 'form' ? 'form' : 'file';
}

function writePython({ method, url, headers: more, credential, body }: SampleRequest): string {
  const type = body?.kind === 'json' ? null : typeOf(body);
  const headers = [
    ...(credential === 'token' ? ["'Authorization': token"] : []),
    ...(type === null ? [] : [`'Content-Type': '${type}'`]),
    ...more.map(([name, value]) => `'${name}': '${value}'`),
  ];
  const values = [
    `    '${url}',`,
    ...(headers.length > 0 ? [`    headers={${headers.join(', ')}},`] : []),
    ...(credential === 'session' ? [`    cookies={'${sessionCookie}': session},`] : []),
    ...(body?.kind === 'json' ? [`    json=${writePythonValue(body.value, '    ')},`] : []),
    ...(body?.kind === 'form' ? [`    files={'file': open('${body.file}', 'rb')},`] : []),
    ...(body?.kind === 'bytes' ? [`    data=open('${body.file}', 'rb'),`] : []),
    ...(body?.kind === 'text' ? [`    data=${JSON.stringify(body.text)},`] : []),
    '    timeout=30,',
  ];
  const call = `response = requests.request(\n    '${method}',\n${values.join('\n')}\n)`;
  return `import requests\n\n${call}\nprint(response.status_code, response.text)`;
}

function writePythonValue(value: unknown, indent: string): string {
  return pretty(value)
    .replaceAll(
      /(?<=: |^\s*)(true|false|null)(?=,?$)/gm,
      word => ({ true: 'True', false: 'False' })[word] ?? 'None',
    )
    .replaceAll('\n', `\n${indent}`);
}

/** For FiveM, whose servers run Lua. It cannot compose forms, so it sends files as raw bytes if possible. */
function writeLua({
  method,
  url,
  headers: more,
  credential,
  body,
  acceptsBytes,
}: SampleRequest): string | null {
  if (body?.kind === 'form' && !acceptsBytes) return null;
  const type = body?.kind === 'form' ? rawType : typeOf(body);
  const headers = [
    ...(credential === 'token' ? ['Authorization = token'] : []),
    ...(credential === 'session' ? [`Cookie = '${sessionCookie}=' .. session`] : []),
    ...(type === null ? [] : [`['Content-Type'] = '${type}'`]),
    ...more.map(([name, value]) => `['${name}'] = '${value}'`),
  ];
  const sent = writeLuaBody(body);
  return `PerformHttpRequest('${url}', function(status, text)
  print(status, text)
end, '${method}', ${sent}, { ${headers.join(', ')} })`.replace('{  }', '{}');
}

function writeLuaBody(body: SampleBody | null): string {
  if (body === null) return "''";
  if (body.kind === 'json') return `json.encode(${writeLuaValue(body.value, '')})`;
  if (body.kind === 'text') return JSON.stringify(body.text);
  return `LoadResourceFile(GetCurrentResourceName(), '${body.file}')`;
}

function writeLuaValue(value: unknown, indent: string): string {
  if (value === null) return 'nil';
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = `${indent}  `;
  const entries = Array.isArray(value)
    ? value.map(each => writeLuaValue(each, inner))
    : Object.entries(value).map(([name, each]) => `${writeLuaKey(name)} = ${writeLuaValue(each, inner)}`);
  return entries.length === 0
    ? '{}'
    : `{\n${entries.map(entry => `${inner}${entry}`).join(',\n')}\n${indent}}`;
}

const writeLuaKey = (name: string) => (/^[A-Za-z_]\w*$/.test(name) ? name : `['${name}']`);

function writeCSharp({ method, url, headers, credential, body }: SampleRequest): string {
  const name = `${method[0]}${method.slice(1).toLowerCase()}`;
  const lines = [
    'using var client = new HttpClient();',
    `using var request = new HttpRequestMessage(HttpMethod.${name}, "${url}");`,
    ...(credential === 'token' ? ['request.Headers.TryAddWithoutValidation("Authorization", token);'] : []),
    ...(credential === 'session' ? [`request.Headers.Add("Cookie", $"${sessionCookie}={session}");`] : []),
    ...headers.map(([name, value]) => `request.Headers.TryAddWithoutValidation("${name}", "${value}");`),
    ...(body === null ? [] : writeCSharpBody(body)),
    'using var response = await client.SendAsync(request);',
    'Console.WriteLine(await response.Content.ReadAsStringAsync());',
  ];
  return lines.join('\n');
}

function writeCSharpBody(body: SampleBody): string[] {
  if (body.kind === 'form' || body.kind === 'bytes') {
    const file = `new StreamContent(File.OpenRead("${body.file}"))`;
    return body.kind === 'form'
      ? [`request.Content = new MultipartFormDataContent { { ${file}, "file", "${body.file}" } };`]
      : [`request.Content = ${file};`, `request.Content.Headers.Add("Content-Type", "${body.type}");`];
  }
  const text = body.kind === 'json' ? `"""\n${pretty(body.value)}\n"""` : JSON.stringify(body.text);
  return [`request.Content = new StringContent(${text}, System.Text.Encoding.UTF8, "${typeOf(body)}");`];
}

function typeOf(body: SampleBody | null): string | null {
  if (body === null || body.kind === 'form') return null;
  return body.kind === 'json' ? 'application/json' : body.type;
}

export const sampleLanguages: readonly SampleLanguage[] = [
  { id: 'curl', title: 'curl', write: writeCurl },
  { id: 'javascript', title: 'JavaScript', write: writeJavaScript },
  { id: 'python', title: 'Python', write: writePython },
  { id: 'lua', title: 'Lua (FiveM)', write: writeLua },
  { id: 'csharp', title: 'C#', write: writeCSharp },
];
