import { ApiError, notFound } from '@tapline/plugin-sdk';
import type { Context } from 'koa';
import type { CompiledRoute } from '../descriptors/routes/routes.ts';
import { lastOf } from '../descriptors/read/paginate.ts';

const json = 'application/json';
const served = [json, 'application/problem+json', 'text/html'];

/**
 * `?format=` and Accept. An action with formats of its own judges both itself; of a list's formats, the name of the one
 * that was asked for.
 */
export function negotiate(
  ctx: Context,
  query: URLSearchParams,
  { formats, listFormats = {} }: Pick<CompiledRoute, 'formats' | 'listFormats'>,
): string | undefined {
  const written = ctx.method === 'GET' || ctx.method === 'HEAD' ? Object.keys(listFormats) : [];
  const format = lastOf(query, 'format');
  if (format !== undefined) {
    if (!['json', 'api', ...formats, ...written].includes(format)) throw notFound();
    return written.includes(format) ? format : undefined;
  }
  if (formats.length) return undefined;
  const medias = written.map((name) => listFormats[name]!.media.split(';')[0]!);
  const chosen = medias.length ? medias.indexOf(String(ctx.accepts([...served, ...medias]))) : -1;
  if (chosen >= 0 && !served.includes(medias[chosen]!)) return written[chosen];
  const accept = ctx.get('Accept');
  // a browser asks for HTML first and gets the JSON
  if (accept === '' || accept.includes('*/*') || accept.includes('json') || ctx.accepts(served)) return undefined;
  throw new ApiError(406, 'Could not satisfy the request Accept header.');
}

/**
 * A browser that opens the path itself, not a program that reads it: it wants HTML rather than JSON. What answers with
 * something else than JSON is shown as it is.
 */
export function isVisit(ctx: Context, query: URLSearchParams, { formats, described }: CompiledRoute): boolean {
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return false;
  const format = lastOf(query, 'format');
  if (formats.length || (format !== undefined && format !== 'api')) return false;
  const told = [described?.answers?.['GET'] ?? []].flat();
  if (told.some(({ media = json }) => !media.includes('json'))) return false;
  // caches in between keep both
  ctx.vary('Accept');
  return (
    format === 'api' || (ctx.get('Accept').includes('text/html') && ctx.accepts([json, 'text/html']) === 'text/html')
  );
}
