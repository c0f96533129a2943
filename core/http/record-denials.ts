import { type Actor, ApiError } from '@tapline/plugin-sdk';
import type { Context, Middleware } from 'koa';
import type { Catalog } from '../descriptors/compile.ts';
import { resolveId } from '../descriptors/read/lookup.ts';
import type { CompiledRoute } from '../descriptors/routes/routes.ts';
import { safeText } from '../db/safe-text.ts';
import { LaunchRefused } from '../runs/refusal.ts';

const reading = new Set(['GET', 'HEAD', 'OPTIONS']);
const windowMs = 60_000;
const mostPerWindow = 20;

/**
 * Puts into the audit log who was refused a change or a launch by 403. Not who was refused reading: there the answer is 404 for what
 * may not be seen, and 403 is only met by clients that look which pages are theirs. What was refused is refused still where it cannot be recorded.
 */
export function createRecordDenials(catalog: Catalog): (route: CompiledRoute, work: Middleware) => Middleware {
  const admit = createDenialGate();
  return (route, work) => async (ctx, next) => {
    try {
      await work(ctx, next);
    } catch (error) {
      const actor: Actor | null | undefined = ctx.state.actor;
      const denied = error instanceof ApiError && error.status === 403 && !(error instanceof LaunchRefused);
      if (denied && actor && !reading.has(ctx.method)) {
        const leftOut = admit(actor.id);
        if (leftOut !== null)
          await record(catalog, route, ctx, { actor, error, leftOut }).catch((err) =>
            catalog.log.error({ err, request_id: ctx.state.requestId }, 'a denial could not be recorded'),
          );
      }
      throw error;
    }
  };
}

async function record(
  catalog: Catalog,
  { type, name, path }: CompiledRoute,
  ctx: Context,
  { actor, error, leftOut }: { actor: Actor; error: ApiError; leftOut: number },
): Promise<void> {
  const { method, params } = ctx;
  const model = type === undefined ? undefined : catalog.type(type);
  const id = model && params?.id !== undefined ? await resolveId(catalog, model, params.id) : undefined;
  const row = id === undefined ? undefined : await catalog.find(model!.type, id, actor);
  const { detail } = error.body;
  await catalog.activity?.denied(
    catalog.db,
    { actor },
    { type: type ?? '', object: row && { model: model!, row } },
    {
      method,
      path: safeText(ctx.path, 1000),
      route: path,
      ...(name === undefined ? {} : { name }),
      detail: safeText(typeof detail === 'string' ? detail : JSON.stringify(error.body), 1000),
      left_out: leftOut || undefined,
    },
  );
}

/**
 * Being refused costs its sender nothing, so that only the first ones of a user in a minute are written, on each node; the log of
 * requests has all of them. Resolves to how many of the user's were left out since the last one, null for one more.
 */
export function createDenialGate(now: () => number = Date.now): (user: number) => number | null {
  let began = 0;
  let written = new Map<number, number>();
  const leftOut = new Map<number, number>();
  return (user) => {
    if (now() - began >= windowMs) [began, written] = [now(), new Map()];
    const count = written.get(user) ?? 0;
    const missed = leftOut.get(user) ?? 0;
    if (count >= mostPerWindow) {
      leftOut.set(user, missed + 1);
      return null;
    }
    written.set(user, count + 1);
    leftOut.delete(user);
    return missed;
  };
}
