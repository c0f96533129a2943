import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Answer } from './rewindable.ts';

export interface Exchange {
  /** as in the route table: `/api/v2/hosts/:id/` */
  path: string;
  method: string;
  body?: unknown;
  answer: Answer;
}

/**
 * Says where an answer, or a body that was accepted, is not what the API's own description tells. Each schema is compiled
 * once. Stricter than the schemas themselves: a record holds no key that its description lacks.
 */
export function describedBy(document: any) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addFormat('decimal', /^-?\d+(\.\d+)?$/);
  ajv.addSchema(document, 'api');
  const compiled = new Map<string, ValidateFunction>();
  const at = (...pointer: string[]): ValidateFunction => {
    const text = pointer.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
    let found = compiled.get(text);
    if (!found) compiled.set(text, (found = ajv.compile({ $ref: `api#/${encodeURI(text)}` })));
    return found;
  };
  const problemsOf = (check: ValidateFunction, value: unknown): string[] =>
    check(value) ? [] : [ajv.errorsText(check.errors)];

  function ofAnswer(place: string[], operation: any, { status, body, headers }: Answer): string[] {
    const { responses } = operation;
    const key = [String(status), `${String(status)[0]}XX`, 'default'].find((name) => responses[name] !== undefined);
    if (key === undefined || (key === 'default' && status < 400)) return [`status ${status} is not described`];
    const { content } = responses[key];
    if (body === '') return content && key === String(status) ? ['an answer without the body that is described'] : [];
    if (!content) return [`a body where none is described`];
    const type = (headers.get('content-type') ?? '').split(';')[0]!;
    const media = [type, '*/*'].find((name) => content[name] !== undefined);
    if (media === undefined) return [`${type} is not described`];
    return [
      ...problemsOf(at(...place, 'responses', key, 'content', media, 'schema'), body),
      ...undescribed(document, content[media].schema, body),
    ];
  }

  return ({ path, method, body, answer }: Exchange): string[] => {
    const name = path.replaceAll(/:(\w+)/g, '{$1}');
    const operation = document.paths[name]?.[method.toLowerCase()];
    if (!operation) return [`${method} ${path} is not described`];
    const place = ['paths', name, method.toLowerCase()];
    const problems = ofAnswer(place, operation, answer);
    if (answer.status < 300 && body !== undefined) {
      const sent = operation.requestBody?.content?.['application/json'];
      if (!sent) problems.push('a body was accepted where none is described');
      else problems.push(...problemsOf(at(...place, 'requestBody', 'content', 'application/json', 'schema'), body));
    }
    return problems.map((problem) => `${method} ${path} ${answer.status}: ${problem}`);
  };
}

/** Keys of records, alone or on a page, that the schema of their type does not know. */
function undescribed(document: any, { $ref, allOf }: { $ref?: string; allOf?: any[] }, body: any): string[] {
  if (allOf) {
    const others = allOf.flatMap(({ properties = {} }) => Object.keys(properties));
    const own = Object.fromEntries(Object.entries(body).filter(([key]) => !others.includes(key)));
    return allOf.flatMap((part) => undescribed(document, part, own));
  }
  const name = $ref?.split('/').at(-1);
  if (!name || typeof body !== 'object' || body === null) return [];
  if (Array.isArray(body.results) && name.endsWith('_page'))
    return body.results.flatMap((one: any) => unknownKeys(document, `${one.type}_entry`, one));
  return unknownKeys(document, name, body);
}

function unknownKeys(document: any, name: string, record: any): string[] {
  const { properties } = document.components.schemas[name] ?? {};
  if (!properties?.summary_fields) return [];
  return Object.keys(record)
    .filter((key) => !Object.hasOwn(properties, key))
    .map((key) => `${name} has no ${key}`);
}
