import { type Action, type Answered, field, type Sublist } from '@tapline/plugin-sdk';
import type { Catalog } from '../compile.ts';
import type { Model } from '../model.ts';
import { hasVersions } from '../write/etag.ts';
import type { Schema } from './json-schema.ts';
import { launchRefusal, refusal } from './openapi-errors.ts';
import { actionOf, listedBy } from './action-of.ts';
import { listParameters } from './openapi-parameters.ts';
import { isGiven } from './options-actions.ts';
import { longestGiven } from '../../hooks/tap.ts';
import { bodySchema, objectSchema, reference } from './openapi-schemas.ts';
import type { CompiledRoute } from '../routes/routes.ts';

/** Parameters, body and answers of one method. */
export function operation(catalog: Catalog, route: CompiledRoute, method: string): Schema {
  const { launches } = route.endpoints[method]!;
  const own = route.described?.openapi?.[method] as Schema | undefined;
  const { parameters = [], responses, ...rest }: Schema = { ...derived(catalog, route, method), ...own };
  const described = launches ? withLaunchTexts(catalog, rest) : rest;
  const all = [...(parameters as Schema[]), ...(launches ? [idempotencyKey] : [])];
  return {
    ...described,
    ...(all.length ? { parameters: all } : {}),
    responses: { ...(responses as Schema), ...(launches ? launchRefusal : refusal) },
  };
}

/** What taps take of the body of whatever launches, where it has one that is read. */
function withLaunchTexts({ launchTexts }: Catalog, described: Schema): Schema {
  const texts = Object.entries(launchTexts());
  const { requestBody } = described as { requestBody?: { content: Record<string, { schema: Schema }> } };
  const told = requestBody?.content['application/json']?.schema;
  if (!texts.length || !told) return described;
  const { properties } = objectSchema(
    Object.fromEntries(
      texts.map(([name, help]) => [name, field.text({ help, max: longestGiven, nullable: true, default: undefined })]),
    ),
  );
  const schema =
    told['properties'] === undefined
      ? { allOf: [told, { type: 'object', properties }] }
      : { ...told, properties: { ...(told['properties'] as Schema), ...(properties as Schema) } };
  return { ...described, requestBody: { ...requestBody, content: { ...requestBody!.content, ...json(schema) } } };
}

const json = (schema: Schema) => ({ 'application/json': { schema } });
const reply = (description: string, schema?: Schema) => ({ description, ...(schema ? { content: json(schema) } : {}) });

function derived(catalog: Catalog, route: CompiledRoute, method: string): Schema {
  const { type, kind } = route;
  const action = actionOf(catalog, route);
  if (action) return own(catalog, route, method, action);
  if (!type) return own(catalog, route, method, route.described);
  const { resource } = catalog.type(type!);
  const sublist = kind === 'sublist' ? resource.sublists![route.name!] : undefined;
  const shown = sublist?.resource ?? type!;
  if (method === 'GET' && kind !== 'detail') return listOperation(catalog.type(shown), route);
  if (sublist) return sublistOperation(catalog, sublist);
  const asNow = reply('As it is now.', reference(shown));
  switch (method) {
    case 'GET':
      return { responses: { 200: hasVersions(catalog.type(shown)) ? { ...asNow, headers } : asNow } };
    case 'POST':
      return { ...body(`${shown}_create`), responses: { 201: created(catalog.type(shown)) } };
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

type Told = Pick<Action, 'fields' | 'takes' | 'answers' | 'lists'>;

/** What an action or a route of its own says of itself. */
function own(catalog: Catalog, route: CompiledRoute, method: string, told: Told = {}): Schema {
  const listed = method === 'GET' ? listedBy(told) : undefined;
  return {
    ...(listed === undefined ? {} : { parameters: listParameters(catalog.type(listed)) }),
    ...bodyOf(route, method, told),
    responses: successes(route, method, told),
  };
}

/** A list, in each form that it is written in. */
function listOperation(model: Model, { listFormats = {} }: CompiledRoute): Schema {
  const page = reference(`${model.type}_page`);
  const flat = { type: 'array', items: { type: 'object' } };
  const content = Object.values(listFormats).reduce<Record<string, Schema>>((all, { media }) => {
    const type = media.split(';')[0]!;
    const schema = type === 'application/json' ? { anyOf: [page, flat] } : { type: 'string' };
    return { ...all, [type]: { schema } };
  }, json(page));
  return {
    parameters: listParameters(model, listFormats),
    responses: { 200: { description: 'A page.', content } },
  };
}

/** What the body of an action or a route may hold, as far as it says. */
function bodyOf({ endpoints }: CompiledRoute, method: string, { fields, takes }: Told = {}): Schema {
  const { body } = endpoints[method]!;
  // what its handler reads from the bytes it may tell; they may come in other forms, too
  if (body?.kind === 'raw')
    return {
      requestBody: {
        content: { ...(takes ? json(takes as Schema) : {}), '*/*': { schema: { type: 'string', format: 'binary' } } },
      },
    };
  if (!['POST', 'PUT', 'PATCH'].includes(method) || (body?.kind === 'none' && !fields && !takes)) return {};
  const schema =
    (takes as Schema) ?? (fields ? objectSchema(fields, method === 'PATCH' ? 'patch' : 'create') : { type: 'object' });
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

/** What is launched is answered as in a list: what only a run can tell is not there yet. */
const created = ({ type, resource }: Model): Schema =>
  resource.launch ? reply('Launched.', reference(`${type}_entry`)) : reply('As it is now.', reference(type));

/** What is created here needs no key for the place, which says it. */
function sublistOperation(catalog: Catalog, sublist: Sublist): Schema {
  const { resource: shown, attach, create } = sublist;
  const ways = [...(create ? [creation(catalog, sublist)] : []), ...(attach ? [link] : [])];
  return {
    requestBody: { content: json(ways.length === 1 ? ways[0]! : { anyOf: ways }) },
    responses: {
      ...(create ? { 201: created(catalog.type(shown)) } : {}),
      204: reply('Attached or detached.'),
    },
  };
}

function creation(catalog: Catalog, sublist: Sublist): Schema {
  const model = catalog.type(sublist.resource);
  const { required = [], ...schema }: Schema & { required?: string[] } = bodySchema(model, 'create');
  const needed = required.filter((name) => !sublist.prepare && !isGiven(sublist, model, name));
  if (needed.length === required.length && model.resource.access.create) return reference(`${sublist.resource}_create`);
  return { ...schema, ...(needed.length ? { required: needed } : {}) };
}
