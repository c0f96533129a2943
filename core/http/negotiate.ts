import { ApiError, notFound } from '@tapline/plugin-sdk';
import type { Context } from 'koa';
import { lastOf } from '../engine/paginate.ts';

const served = ['application/json', 'application/problem+json', 'text/html'];

/** `?format=` and Accept. An action with formats of its own judges both itself. */
export function negotiate(ctx: Context, query: URLSearchParams, formats: readonly string[]): void {
  const format = lastOf(query, 'format');
  if (format !== undefined && format !== 'json' && format !== 'api' && !formats.includes(format)) throw notFound();
  if (formats.length || format !== undefined) return;
  const accept = ctx.get('Accept');
  // a browser asks for HTML first and gets the JSON
  if (accept === '' || accept.includes('*/*') || accept.includes('json') || ctx.accepts(served)) return;
  throw new ApiError(406, 'Could not satisfy the request Accept header.');
}
