import { STATUS_CODES } from 'node:http';
import { ApiError, isUnavailable } from '@tapline/plugin-sdk';
import type { Context, Middleware } from 'koa';
import { isDatabaseAway } from '../db/database-errors.ts';
import { toApiError } from '../descriptors/write/database-error.ts';
import type { Log } from '../observe/log.ts';
import { blamedFor } from '../observe/section.ts';

/** Turns whatever was thrown into the envelope of decisions §1; what nobody expected is logged and tells nothing. */
export function answerErrors({ log }: { log: Log }): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const answer = asApiError(error);
      // a client that went away; the request itself counts as destroyed once its body was read
      if (answer.status >= 500 && !ctx.res.destroyed) {
        log[answer.status === 503 ? 'warn' : 'error'](
          {
            err: error,
            // whose route it is; who is to blame is told where that is known
            ...(ctx.state.plugin && { plugin: ctx.state.plugin }),
            ...blamedFor(error),
            request_id: ctx.state.requestId,
            method: ctx.method,
            path: ctx.path,
          },
          'request failed',
        );
      }
      ctx.status = answer.status;
      ctx.set(answer.headers);
      write(ctx, answer);
    }
  };
}

function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (isDatabaseAway(error))
    return new ApiError(503, 'The database cannot be reached at the moment. Try again later.', { 'Retry-After': '5' });
  if (isUnavailable(error))
    return new ApiError(503, 'Expressions cannot be evaluated at the moment. Try again later.', { 'Retry-After': '5' });
  const refused = toApiError(error);
  if (refused) return refused;
  // http-errors of the body parser and of Koa itself say whether their message may be shown
  const { status, expose, message } = error as { status?: number; expose?: boolean; message?: string };
  if (status && status >= 400 && status < 500 && expose)
    return new ApiError(status, message ?? STATUS_CODES[status] ?? 'Bad request.');
  return new ApiError(500, 'A server error occurred.');
}

function write(ctx: Context, { status, body }: ApiError): void {
  if (!ctx.get('Accept').includes('application/problem+json')) {
    ctx.body = body;
    return;
  }
  const { detail, ...rest } = body;
  const title = STATUS_CODES[status] ?? 'Error';
  ctx.body = {
    type: 'about:blank',
    title,
    status,
    detail: detail ?? title,
    code: title.toLowerCase().replaceAll(/\W+/g, '_'),
    ...(Object.keys(rest).length ? { errors: rest } : {}),
    instance: ctx.path,
    request_id: ctx.state.requestId,
  };
  ctx.type = 'application/problem+json';
}
