/** Renders one operation as a section of a page: its input and answers, samples, and a form to try it. */
import { escapeHtml } from '../pages/inlineText.ts';
import { makeExample } from './examples.ts';
import type { Api, Operation, Parameter } from './operations.ts';
import { nameType, writeFieldTable, writeRow } from './shapeTables.ts';
import { sampleLanguages } from './snippets/languages.ts';
import { composeRequest, hasFile } from './snippets/request.ts';

type SectionOptions = { api: Api; address: string; renderText: (text: string) => string };

export function writeOperation(operation: Operation, options: SectionOptions): string {
  const { id, method, path, summary } = operation;
  const parts = [
    `<h2 id="${escapeHtml(id)}"><span class="method ${method.toLowerCase()}">${method}</span> <code>${escapeHtml(path)}</code></h2>`,
    `<p>${options.renderText(summary)}</p>`,
    `<p class="credentials">${describeCredentials(operation.credentials)}</p>`,
    writeSamples(operation, options),
    writeParameters(operation, options),
    writeBodies(operation, options),
    writeAnswers(operation, options),
    writeForm(operation, options),
  ];
  return `<section class="operation">${parts.join('\n')}</section>`;
}

function describeCredentials(credentials: readonly string[]): string {
  const names: Readonly<Record<string, string>> = {
    token: 'a token in <code>Authorization</code>',
    apiKey: '<code>?apiKey=</code>',
    session: 'the session of a signed-in user (cookie <code>tapedeck_session</code>)',
  };
  const needed = credentials.map(name => names[name] ?? escapeHtml(name));
  return needed.length === 0 ? 'Needs no token.' : `Needs ${needed.join(' or ')}.`;
}

function writeSamples(operation: Operation, { api, address }: SectionOptions): string {
  const request = composeRequest(api, operation, address);
  const samples = sampleLanguages.flatMap(({ id, title, write }) => {
    const text = write(request);
    return text === null ? [] : [{ id, title, text }];
  });
  const tabs = samples.map(
    ({ id, title }, index) =>
      `<button type="button" role="tab" data-language="${id}" aria-selected="${index === 0}">${title}</button>`,
  );
  const texts = samples.map(
    ({ id, text }, index) =>
      `<pre tabindex="0" data-language="${id}"${index === 0 ? '' : ' hidden'}><code>${escapeHtml(text)}</code></pre>`,
  );
  return `<div class="samples"><div role="tablist" aria-label="Language of the sample">${tabs.join('')}</div>${texts.join('')}</div>`;
}

function writeParameters({ parameters }: Operation, { api, renderText }: SectionOptions): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(({ name, schema, description, required = false, in: place }) =>
    writeRow(
      api,
      {
        name: place === 'path' ? `{${name}}` : name,
        schema: description === undefined ? schema : { ...schema, description },
        isRequired: required,
      },
      renderText,
    ),
  );
  return `<h3>Parameters</h3><table class="fields"><thead><tr><th>Name</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

function writeBodies({ bodies }: Operation, { api, renderText }: SectionOptions): string {
  const shown = bodies.map(({ type, schema }) => {
    const name = type === '*/*' ? 'any other type' : type;
    const text = schema.description ?? api.resolve(schema).schema.description ?? '';
    return `<h4><code>${escapeHtml(name)}</code></h4>${text === '' ? '' : `<p>${renderText(text)}</p>`}${writeFieldTable(api, schema, renderText)}`;
  });
  return shown.length === 0 ? '' : `<h3>Body</h3>${shown.join('')}`;
}

function writeAnswers({ answers }: Operation, { api, renderText }: SectionOptions): string {
  const good = answers.filter(({ status }) => status.startsWith('2'));
  const bad = answers.filter(({ status }) => /^[345]/.test(status));
  const shown = good.map(({ status, description, bodies }) => {
    const [body] = bodies;
    const text = description === 'Success.' ? '' : renderText(description);
    if (body === undefined) return `<h3>Response ${status}</h3><p>${text || 'No body.'}</p>`;
    const example = makeExample(api, body.schema, { extent: 'all' });
    const fields = writeFieldTable(api, body.schema, renderText);
    const sample =
      body.type === 'application/json'
        ? `<pre tabindex="0"><code>${escapeHtml(JSON.stringify(example, null, 2))}</code></pre>`
        : `<p><code>${escapeHtml(body.type)}</code>: ${escapeHtml(nameType(api, body.schema))}</p>`;
    return `<h3>Response ${status}</h3>${text === '' ? '' : `<p>${text}</p>`}${sample}${fields === '' ? '' : `<details><summary>Fields</summary>${fields}</details>`}`;
  });
  const errors = bad.map(
    ({ status, description }) => `<tr><td>${status}</td><td>${renderText(description)}</td></tr>`,
  );
  const table =
    errors.length === 0
      ? ''
      : `<details><summary>Errors</summary><table class="fields"><thead><tr><th>Status</th><th>Codes</th></tr></thead><tbody>${errors.join('')}</tbody></table></details>`;
  return shown.join('') + table;
}

function writeForm(operation: Operation, { api }: SectionOptions): string {
  const { id, method, path, parameters, bodies } = operation;
  const inputs = parameters.map(parameter => writeInput(api, id, parameter));
  const form = bodies.find(({ type, schema }) => type === 'multipart/form-data' && hasFile(api, schema));
  const json = bodies.find(({ type }) => type === 'application/json');
  if (form !== undefined)
    inputs.push(`<label>file <input type="file" name="file" data-in="file" required></label>`);
  else if (json !== undefined) {
    const text = JSON.stringify(makeExample(api, json.schema, { extent: 'required' }), null, 2);
    inputs.push(
      `<label>Body (JSON) <textarea name="body" data-in="json" rows="${Math.min(text.split('\n').length + 1, 16)}">${escapeHtml(text)}</textarea></label>`,
    );
  } else if (bodies.length > 0)
    inputs.push(
      `<label>Body <textarea name="body" data-in="text" data-type="${escapeHtml(bodies[0]?.type ?? '')}" rows="4"></textarea></label>`,
    );
  const needsToken = operation.credentials.includes('token');
  const token = needsToken
    ? '<label>Token <input name="token" data-in="token" type="password" autocomplete="off" placeholder="leave empty to use your session"></label>'
    : '';
  return `<details class="try"><summary>Try it</summary><form data-method="${method}" data-path="${escapeHtml(path)}">${token}${inputs.join('')}<button>Send ${method}</button></form><output aria-live="polite"></output></details>`;
}

function writeInput(api: Api, id: string, { name, in: place, required = false, schema }: Parameter): string {
  const { schema: shape } = api.resolve(schema);
  const words = shape.enum ?? [];
  const attributes = `name="${escapeHtml(name)}" data-in="${place}"${required ? ' required' : ''}`;
  const label = `${escapeHtml(name)}${required ? '' : ' <small>optional</small>'}`;
  if (words.length > 0) {
    const options = words.map(word => `<option>${escapeHtml(String(word))}</option>`);
    return `<label>${label} <select ${attributes}>${required ? '' : '<option></option>'}${options.join('')}</select></label>`;
  }
  const usual = place === 'path' && name === 'project' ? ' value="default"' : '';
  return `<label for="${escapeHtml(`${id}-${name}`)}">${label} <input id="${escapeHtml(`${id}-${name}`)}" ${attributes}${usual}></label>`;
}
