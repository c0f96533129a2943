import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Catalog } from '../../core/descriptors/compile.ts';
import { describeApi } from '../../core/descriptors/describe/openapi.ts';
import type { Answer } from './client.ts';
import { closed } from './closed-schema.ts';
import { pathFinder } from './path-finder.ts';

export interface Exchange {
  method: string;
  /** as it was asked, without the query */
  path: string;
  /** what was sent, unless as text */
  body?: unknown;
  answer: Answer;
}

/** What an exchange has that the description does not tell; empty where it is as described. */
export type Check = (exchange: Exchange) => string[];

const catalogs = new WeakMap<Catalog, Check>();
const documents = new Map<string, Check>();

/** The check against the description that this service gives of itself; services of the same description share it. */
export function checkOf(catalog: Catalog): Check {
  let check = catalogs.get(catalog);
  if (check) return check;
  const document = describeApi(catalog);
  const text = JSON.stringify(document);
  check = documents.get(text) ?? describedBy(JSON.parse(text));
  documents.set(text, check);
  catalogs.set(catalog, check);
  return check;
}

const anyRefusal = { default: { $ref: '#/components/responses/refused' } };

/** Each schema is compiled once, when it is first needed. Stricter than the document: an answer holds no key that it does not name. */
export function describedBy(document: any): Check {
  const find = pathFinder(Object.keys(document.paths));
  const validate = compiler(document);
  const resolve = (one: any) => (one.$ref ? pointed(document, one.$ref) : one);

  const ofAnswer = (responses: any, { status, body, headers }: Answer, head = false): string[] => {
    const key = [String(status), `${String(status)[0]}XX`, 'default'].find((name) => responses[name] !== undefined);
    if (key === undefined || (key === 'default' && status < 400)) return ['the status is not described'];
    const { content } = resolve(responses[key]);
    if (head) return body === '' ? [] : ['a body in the answer to a HEAD'];
    const type = (headers.get('content-type') ?? '').split(';')[0]!;
    // a text may be empty
    if (body === '' && content?.[type] && type !== 'application/json') return [];
    if (body === '') return content && key === String(status) ? ['an answer without the body that is described'] : [];
    if (!content) return ['a body where none is described'];
    const media = content[type] ?? content['*/*'];
    return media ? validate.answer(media.schema, body) : [`${type} is not described`];
  };

  const problemsOf = ({ path, method, body, answer }: Exchange): string[] => {
    const template = find(path);
    const head = method === 'HEAD';
    const operation = template && document.paths[template][head ? 'get' : method.toLowerCase()];
    const { status } = answer;
    if (method === 'OPTIONS' && status === 200)
      return validate.answer(document.components.schemas.Options, answer.body);
    if (!operation) {
      // what comes to no route, or for its method to none, is refused as everywhere, or sent to where a slash is
      if (status !== 301 && status < 400) return ['it is not described'];
      return status === 301 ? [] : ofAnswer(anyRefusal, answer, head);
    }
    const problems = ofAnswer(operation.responses, answer, head);
    if (status >= 300 || body === undefined) return problems;
    const sent = operation.requestBody?.content?.['application/json'];
    if (!sent) return [...problems, 'a body was accepted where none is described'];
    return [...problems, ...validate.sent(sent.schema, body)];
  };
  return (exchange) =>
    problemsOf(exchange).map(
      (problem) => `${exchange.method} ${find(exchange.path) ?? exchange.path} → ${exchange.answer.status}: ${problem}`,
    );
}

const pointed = (document: any, ref: string) =>
  ref
    .slice(2)
    .split('/')
    .reduce((node, part) => node[part], document);

/** One for each schema of its text: most of a document's are the same few references. */
function once(compile: (schema: object) => ValidateFunction): (schema: object) => ValidateFunction {
  const known = new WeakMap<object, ValidateFunction>();
  const alike = new Map<string, ValidateFunction>();
  return (schema) => {
    let check = known.get(schema);
    if (check) return check;
    const text = JSON.stringify(schema);
    check = alike.get(text) ?? compile(schema);
    known.set(schema, check);
    alike.set(text, check);
    return check;
  };
}

function compiler(document: any) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addFormat('decimal', /^-?\d+(\.\d+)?$/);
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) => [name, closed(document, schema)]);
  ajv.addSchema({ $id: 'api', components: { schemas: Object.fromEntries(schemas) } });
  const compile = (schema: any) => ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')));
  const answers = once((schema) => compile(closed(document, schema, false)));
  const bodies = once(compile);
  const errorsOf = (check: ValidateFunction, value: unknown): ErrorObject[] => (check(value) ? [] : [...check.errors!]);
  return {
    answer: (schema: any, value: unknown): string[] =>
      errorsOf(answers(schema), value)
        .slice(0, 6)
        .map((error) => worded(error, value)),
    /** Values of other types and keys without a meaning are taken from clients who know no better; but nothing may be needed that is not. */
    sent(schema: any, value: unknown): string[] {
      const errors = errorsOf(bodies(schema), value);
      if (!errors.every(({ keyword }) => keyword === 'required' || keyword === 'anyOf')) return [];
      return errors.map((error) => `accepted, though in what was sent ${worded(error, value)}`);
    },
  };
}

function worded({ instancePath, message, params }: ErrorObject, value: unknown): string {
  const wrong = instancePath
    .split('/')
    .slice(1)
    .reduce((node: any, part) => node?.[part], value);
  const { unevaluatedProperty: unknown } = params;
  if (unknown) return `${instancePath}/${unknown} is not described`;
  return `${instancePath || 'the body'} ${message}, not ${JSON.stringify(wrong)?.slice(0, 200)}`;
}
