import type { Action, Answered, Reply } from '@tapline/plugin-sdk';
import { authenticated, everybody } from '../rbac/rules.ts';
import type { Engine } from './compile.ts';
import { hasVersions } from './etag.ts';
import { componentSchemas, objectSchema, reference, type Schema } from './openapi-schemas.ts';
import { labelOf } from './options-fields.ts';
import type { CompiledRoute } from './routes.ts';

/** The description of the API for machines, OpenAPI 3.1, made of the descriptors and the route table. */
export function describeApi(engine: Engine): Record<string, unknown> {
  const paths: Record<string, Schema> = {};
  for (const route of engine.routes) paths[route.path.replaceAll(/:(\w+)/g, '{$1}')] = pathItem(engine, route);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tapline',
      version: 'v2',
      description:
        'Projects, inventories, credentials and job templates; runs, their output and what was changed by whom.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    externalDocs: { url: '/api/docs/', description: 'This description as a page.' },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }, { basic: [] }, { session: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A personal token, or one of OAuth2.' },
        basic: { type: 'http', scheme: 'basic' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'sessionid',
          description: 'Writes need the CSRF token as well.',
        },
      },
      schemas: componentSchemas(engine),
    },
  };
}

/** The document's own route. It is made once, when it is first asked for. */
export function openApiRoute(engine: Engine): CompiledRoute {
  let document: string | undefined;
  const run = async (): Promise<Reply> => {
    document ??= JSON.stringify(describeApi(engine));
    return { status: 200, body: document, type: 'application/json' };
  };
  return { path: '/api/v2/openapi.json', kind: 'route', endpoints: { GET: { rule: authenticated, run } }, formats: [] };
}

function pathItem(engine: Engine, route: CompiledRoute): Schema {
  const parameters = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    description: name === 'id' ? 'Its number, or its name in the form that `related.named_url` shows.' : undefined,
  }));
  const operations = Object.entries(route.endpoints).map(([method, { rule }]) => [
    method.toLowerCase(),
    {
      operationId: `${method.toLowerCase()}${route.path.replaceAll(/\W+/g, '_').replace(/_$/, '')}`,
      tags: [route.type ?? 'system'],
      summary: summaryOf(engine, route, method),
      ...(rule === everybody ? { security: [] } : {}),
      ...withKey(route, method, { ...operation(engine, route, method), ...ownDescription(route, method) }),
    },
  ]);
  return { ...(parameters.length ? { parameters } : {}), ...Object.fromEntries(operations) };
}

/** Whatever launches takes an idempotency key, routes of plugins as well. */
const withKey = ({ endpoints }: CompiledRoute, method: string, described: Schema): Schema =>
  endpoints[method]?.launches
    ? { ...described, parameters: [...((described.parameters as Schema[]) ?? []), idempotencyKey] }
    : described;

/** What a route tells of itself; what goes wrong is told the same way everywhere. */
function ownDescription({ described }: CompiledRoute, method: string): Schema {
  const own = described?.openapi?.[method] as Schema | undefined;
  return own?.responses ? { ...own, responses: { ...(own.responses as Schema), ...refusal } } : { ...own };
}

function summaryOf(engine: Engine, route: CompiledRoute, method: string): string {
  if (!route.type || route.kind === 'route')
    return route.described?.summary ?? labelOf(route.path.split('/').findLast(Boolean) ?? '');
  const { label } = engine.type(route.type).resource;
  if (route.kind === 'list') return method === 'GET' ? `${label}: list` : `${label}: create`;
  if (route.kind === 'sublist')
    return `${label}: ${route.name!.replaceAll('_', ' ')}${method === 'GET' ? '' : ' (attach, detach or create)'}`;
  if (route.kind === 'detail')
    return `${label}: ${{ GET: 'show', PUT: 'replace', PATCH: 'change', DELETE: 'delete' }[method]}`;
  return actionOf(engine, route)?.summary ?? `${label}: ${labelOf(route.name!).toLowerCase()}`;
}

function actionOf(engine: Engine, { type, name, kind }: CompiledRoute): Action | undefined {
  const { actions, listActions } = engine.type(type!).resource;
  return (kind === 'action' ? actions : listActions)?.[name!];
}

const json = (schema: Schema) => ({ 'application/json': { schema } });
const reply = (description: string, schema?: Schema) => ({ description, ...(schema ? { content: json(schema) } : {}) });
const refusal = { default: reply('Refused, or failed.', reference('error')) };

const listParameters = [
  { name: 'page', in: 'query', schema: { type: 'string' }, description: 'A number, or `last`.' },
  { name: 'page_size', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 200 } },
  { name: 'search', in: 'query', schema: { type: 'string' }, description: 'Words that must all occur.' },
  { name: 'order_by', in: 'query', schema: { type: 'string' }, description: 'Fields, `-` in front for descending.' },
];

const done = ({ formats }: CompiledRoute) => ({
  description: 'Done.',
  content: { [formats.length ? '*/*' : 'application/json']: { schema: {} } },
});

/** A page may lead to the login. */
const ownResponses = (route: CompiledRoute) => ({
  '2XX': done(route),
  ...(route.formats.length ? { '3XX': reply('Look there.') } : {}),
  ...refusal,
});

/** Parameters, body and answers of one method. */
function operation(engine: Engine, route: CompiledRoute, method: string): Schema {
  const { type, kind } = route;
  if (!type) return { ...ownBody(route, method), responses: ownResponses(route) };
  if (kind === 'action' || kind === 'list action') return actionOperation(engine, route, method);
  const { resource } = engine.type(type!);
  const sublist = kind === 'sublist' ? resource.sublists![route.name!] : undefined;
  const shown = sublist?.resource ?? type!;
  if (method === 'GET' && kind !== 'detail')
    return { parameters: listParameters, responses: { 200: reply('A page.', reference(`${shown}_page`)), ...refusal } };
  if (sublist) return sublistOperation(engine, shown, sublist.create === true);
  const asNow = reply('As it is now.', reference(shown));
  switch (method) {
    case 'GET':
      return { responses: { 200: hasVersions(engine.type(shown)) ? { ...asNow, headers } : asNow, ...refusal } };
    case 'POST':
      return { ...body(`${shown}_create`), responses: { 201: asNow, ...refusal } };
    case 'DELETE':
      return { parameters: [ifMatch], responses: { [resource.deleteStatus ?? 204]: reply('Deleted.'), ...refusal } };
    default:
      return {
        ...body(`${shown}_${method === 'PUT' ? 'replace' : 'patch'}`, method === 'PUT'),
        parameters: [ifMatch],
        responses: { 200: asNow, ...refusal },
      };
  }
}

/** What a route of its own takes, as far as it says. */
function ownBody({ described, endpoints }: CompiledRoute, method: string): Schema {
  if (endpoints[method]?.body?.kind === 'raw')
    return { requestBody: { content: { '*/*': { schema: { type: 'string', format: 'binary' } } } } };
  if (!['POST', 'PUT', 'PATCH'].includes(method)) return {};
  const takes = described?.fields ? objectSchema(described.fields, method !== 'PATCH') : { type: 'object' };
  return { requestBody: { content: json(takes) } };
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

function sublistOperation(engine: Engine, shown: string, creates: boolean): Schema {
  const link = {
    type: 'object',
    properties: { id: { type: 'integer' }, disassociate: { description: 'Detach instead of attaching.' } },
  };
  const creation = engine.type(shown).resource.access.create ? [reference(`${shown}_create`)] : [{ type: 'object' }];
  return {
    requestBody: { content: json(creates ? { anyOf: [...creation, link] } : link) },
    responses: {
      ...(creates ? { 201: reply('Created here.', reference(shown)) } : {}),
      204: reply('Attached or detached.'),
      ...refusal,
    },
  };
}

function actionOperation(engine: Engine, route: CompiledRoute, method: string): Schema {
  const { fields, answers } = actionOf(engine, route) ?? {};
  const told = answers?.[method as 'GET'];
  const takes =
    method === 'GET' || method === 'DELETE' ? undefined : fields ? objectSchema(fields) : { type: 'object' };
  return {
    ...(takes ? { requestBody: { content: json(takes) } } : {}),
    responses: { ...(told ? answered(told) : { '2XX': done(route) }), ...refusal },
  };
}

function answered({ status = 200, type, page, fields, schema, empty }: Answered): Schema {
  if (empty) return { [status]: reply('Done.') };
  const parts = [
    ...(type ? [reference(page ? `${type}_page` : type)] : []),
    ...(fields ? [{ ...objectSchema(fields), required: Object.keys(fields) }] : []),
    ...(schema ? [schema as Schema] : []),
  ];
  return { [status]: reply('Done.', parts.length === 1 ? parts[0] : { allOf: parts }) };
}
