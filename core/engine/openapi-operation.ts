import type { Action, Answered, Sublist } from '@tapline/plugin-sdk';
import type { Engine } from './compile.ts';
import { hasVersions } from './etag.ts';
import type { Schema } from './json-schema.ts';
import { launchRefusal, refusal } from './openapi-errors.ts';
import { bodySchema, objectSchema, reference } from './openapi-schemas.ts';
import type { CompiledRoute } from './routes.ts';

/** Parameters, body and answers of one method. */
export function operation(engine: Engine, route: CompiledRoute, method: string): Schema {
  const { launches } = route.endpoints[method]!;
  const own = route.described?.openapi?.[method] as Schema | undefined;
  const { parameters = [], responses, ...described }: Schema = { ...derived(engine, route, method), ...own };
  const all = [...(parameters as Schema[]), ...(launches ? [idempotencyKey] : [])];
  return {
    ...described,
    ...(all.length ? { parameters: all } : {}),
    responses: { ...(responses as Schema), ...(launches ? launchRefusal : refusal) },
  };
}

export function actionOf(engine: Engine, { type, name, kind }: CompiledRoute): Action | undefined {
  const { actions, listActions } = engine.type(type!).resource;
  return (kind === 'action' ? actions : listActions)?.[name!];
}

const json = (schema: Schema) => ({ 'application/json': { schema } });
const reply = (description: string, schema?: Schema) => ({ description, ...(schema ? { content: json(schema) } : {}) });

const listParameters = [
  { name: 'page', in: 'query', schema: { type: 'string' }, description: 'A number, or `last`.' },
  { name: 'page_size', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 200 } },
  { name: 'search', in: 'query', schema: { type: 'string' }, description: 'Words that must all occur.' },
  { name: 'order_by', in: 'query', schema: { type: 'string' }, description: 'Fields, `-` in front for descending.' },
];

function derived(engine: Engine, route: CompiledRoute, method: string): Schema {
  const { type, kind } = route;
  if (kind === 'action' || kind === 'list action')
    return {
      ...bodyOf(route, method, actionOf(engine, route)),
      responses: successes(route, method, actionOf(engine, route)),
    };
  if (!type) return { ...bodyOf(route, method, route.described), responses: successes(route, method, route.described) };
  const { resource } = engine.type(type!);
  const sublist = kind === 'sublist' ? resource.sublists![route.name!] : undefined;
  const shown = sublist?.resource ?? type!;
  if (method === 'GET' && kind !== 'detail')
    return { parameters: listParameters, responses: { 200: reply('A page.', reference(`${shown}_page`)) } };
  if (sublist) return sublistOperation(engine, sublist);
  const asNow = reply('As it is now.', reference(shown));
  switch (method) {
    case 'GET':
      return { responses: { 200: hasVersions(engine.type(shown)) ? { ...asNow, headers } : asNow } };
    case 'POST':
      return { ...body(`${shown}_create`), responses: { 201: asNow } };
    case 'DELETE':
      return { parameters: [ifMatch], responses: { [resource.deleteStatus ?? 204]: reply('Deleted.') } };
    default:
      return {
        ...body(`${shown}_${method === 'PUT' ? 'replace' : 'patch'}`, method === 'PUT'),
        parameters: [ifMatch],
        responses: { 200: asNow },
      };
  }
}

type Told = Pick<Action, 'fields' | 'takes' | 'answers'>;

/** What an action or a route of its own takes, as far as it says. */
function bodyOf({ endpoints }: CompiledRoute, method: string, { fields, takes }: Told = {}): Schema {
  const { body } = endpoints[method]!;
  if (body?.kind === 'raw')
    return { requestBody: { content: { '*/*': { schema: { type: 'string', format: 'binary' } } } } };
  if (!['POST', 'PUT', 'PATCH'].includes(method) || (body?.kind === 'none' && !fields && !takes)) return {};
  const schema = (takes as Schema) ?? (fields ? objectSchema(fields, method !== 'PATCH') : { type: 'object' });
  return { requestBody: { content: json(schema) } };
}

/** By status; several answers of one status differ in their media type. */
function successes({ formats }: CompiledRoute, method: string, { answers }: Told = {}): Schema {
  const told = answers?.[method as 'GET'];
  if (!told) {
    const media = formats.length ? '*/*' : 'application/json';
    return { '2XX': { description: 'Done.', content: { [media]: { schema: {} } } } };
  }
  const responses: Record<string, Schema> = {};
  for (const one of [told].flat()) {
    const { status = 200, media = 'application/json', empty } = one;
    const found = (responses[status] ??= { description: status < 300 ? 'Done.' : 'Look there.' });
    if (!empty) found.content = { ...(found.content as Schema), [media]: { schema: answerSchema(one) } };
  }
  return responses;
}

function answerSchema({ media, type, page, fields, schema }: Answered): Schema {
  if (media !== undefined && !schema && !type && !fields) return { type: 'string' };
  const parts = [
    ...(type ? [reference(page ? `${type}_page` : type)] : []),
    ...(fields ? [{ ...objectSchema(fields), required: Object.keys(fields) }] : []),
    ...(schema ? [schema as Schema] : []),
  ];
  return parts.length === 1 ? parts[0]! : { allOf: parts };
}

const headers = { ETag: { schema: { type: 'string' }, description: 'The version, for If-Match.' } };
const ifMatch = {
  name: 'If-Match',
  in: 'header',
  schema: { type: 'string' },
  description: 'The `ETag` of the object as it was read: 412 where it has changed since.',
};

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  description:
    'Sent again with the same key and body within 24 hours, the request launches nothing and answers what it answered, with `Idempotency-Replayed: true`.',
};

const body = (name: string, required = true) => ({ requestBody: { required, content: json(reference(name)) } });

const link = {
  type: 'object',
  properties: { id: { type: 'integer' }, disassociate: { description: 'Detach instead of attaching.' } },
  anyOf: [{ required: ['id'] }, { required: ['disassociate'] }],
};

/** What is created here needs no key for the place, which says it. */
function sublistOperation(engine: Engine, sublist: Sublist): Schema {
  const { resource: shown, attach, create } = sublist;
  const ways = [...(create ? [creation(engine, sublist)] : []), ...(attach ? [link] : [])];
  return {
    requestBody: { content: json(ways.length === 1 ? ways[0]! : { anyOf: ways }) },
    responses: {
      ...(create ? { 201: reply('Created here.', reference(shown)) } : {}),
      204: reply('Attached or detached.'),
    },
  };
}

function creation(engine: Engine, { resource, column, inherit = [], prepare }: Sublist): Schema {
  const model = engine.type(resource);
  const { required = [], ...schema }: Schema & { required?: string[] } = bodySchema(model, 'create');
  const given = new Set([column, ...inherit]);
  const needed = required.filter((name) => !prepare && !given.has(model.fields.get(name)?.column));
  if (needed.length === required.length && model.resource.access.create) return reference(`${resource}_create`);
  return { ...schema, ...(needed.length ? { required: needed } : {}) };
}
