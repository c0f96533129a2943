import type { Reply } from '@tapline/plugin-sdk';
import { authenticated, everybody } from '../../rbac/rules.ts';
import type { Catalog } from '../compile.ts';
import type { Schema } from './json-schema.ts';
import { errorSchemas, optionsSchema, refusals } from './openapi-errors.ts';
import { actionOf } from './action-of.ts';
import { operation } from './openapi-operation.ts';
import { componentSchemas } from './openapi-schemas.ts';
import { labelOf } from './options-fields.ts';
import type { CompiledRoute } from '../routes/routes.ts';

/** The description of the API for machines, OpenAPI 3.1, made of the descriptors and the route table. */
export function describeApi(catalog: Catalog): Record<string, unknown> {
  const paths: Record<string, Schema> = {};
  for (const route of catalog.routes) paths[route.path.replaceAll(/:(\w+)/g, '{$1}')] = pathItem(catalog, route);
  Object.assign(paths, catalog.besides);
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
      schemas: { ...errorSchemas, Options: optionsSchema, ...componentSchemas(catalog) },
      responses: refusals,
    },
  };
}

/** The document's own route. It is made once, when it is first asked for. */
export function openApiRoute(catalog: Catalog): CompiledRoute {
  let document: string | undefined;
  const run = async (): Promise<Reply> => {
    document ??= JSON.stringify(describeApi(catalog));
    return { status: 200, body: document, type: 'application/json' };
  };
  return {
    path: '/api/v2/openapi.json',
    kind: 'route',
    endpoints: { GET: { rule: authenticated, run } },
    formats: [],
    described: {
      summary: 'This description',
      answers: { GET: { schema: { type: 'object', required: ['openapi', 'info', 'paths', 'components'] } } },
    },
  };
}

function pathItem(catalog: Catalog, route: CompiledRoute): Schema {
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
      summary: summaryOf(catalog, route, method),
      ...(rule === everybody ? { security: [] } : {}),
      ...(route.deprecated ? { deprecated: true, description: route.deprecated.why } : {}),
      ...operation(catalog, route, method),
    },
  ]);
  return { ...(parameters.length ? { parameters } : {}), ...Object.fromEntries(operations) };
}

function summaryOf(catalog: Catalog, route: CompiledRoute, method: string): string {
  if (!route.type || route.kind === 'route')
    return route.described?.summary ?? labelOf(route.path.split('/').findLast(Boolean) ?? '');
  const { label } = catalog.type(route.type).resource;
  if (route.kind === 'list') return method === 'GET' ? `${label}: list` : `${label}: create`;
  if (route.kind === 'sublist')
    return `${label}: ${route.name!.replaceAll('_', ' ')}${method === 'GET' ? '' : ' (attach, detach or create)'}`;
  if (route.kind === 'detail')
    return `${label}: ${{ GET: 'show', PUT: 'replace', PATCH: 'change', DELETE: 'delete' }[method]}`;
  return actionOf(catalog, route)?.summary ?? `${label}: ${labelOf(route.name!).toLowerCase()}`;
}
