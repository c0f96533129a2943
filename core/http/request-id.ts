import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';
import { inRequest } from '../db/current-request.ts';

/** What a client may choose: enough for UUIDs, ULIDs and trace ids, and harmless in logs and headers. */
const sane = /^[\w.:+/=-]{8,128}$/;

/** Every answer names its request, so that a user's report finds its log line. */
export const requestId: Middleware = (ctx, next) => {
  const given = ctx.get('X-Request-Id');
  const id = sane.test(given) ? given : randomUUID();
  ctx.state.requestId = id;
  ctx.set('X-Request-Id', id);
  ctx.set('X-API-Request-Id', id);
  return inRequest({ ip: ctx.ip, request_id: id }, next);
};
