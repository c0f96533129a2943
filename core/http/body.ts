import { ApiError } from '@tapline/plugin-sdk';
import type { Context, Middleware } from 'koa';

const maxDepth = 100;
const badBody = (why: string) => new ApiError(400, `JSON parse error - ${why}`);

export type ReadBody = (ctx: Context) => Promise<Record<string, unknown>>;

/** Reads a JSON object. Run late, so that 401, 403, 404 and 405 come before what is wrong with the body. */
export function createReadBody({ limit = '20mb', forms = false }: { limit?: string; forms?: boolean } = {}): ReadBody {
  let parser: Middleware | undefined;
  const types = forms ? ['application/json', 'application/x-www-form-urlencoded'] : ['application/json'];
  return async (ctx) => {
    if (!hasBody(ctx)) return {};
    if (!ctx.is(types))
      throw new ApiError(415, `Unsupported media type "${ctx.get('Content-Type').slice(0, 100)}" in request.`);
    parser ??= await createParser(limit, forms);
    await parser(ctx, async () => undefined);
    const { body } = ctx.request;
    if (body === undefined) return {};
    if (typeof body !== 'object' || body === null || Array.isArray(body)) throw badBody('not a JSON object');
    assertShallow(body);
    return body as Record<string, unknown>;
  };
}

/** Loaded with the first body: a start does not wait for it. */
async function createParser(limit: string, forms: boolean): Promise<Middleware> {
  const { koaBody } = await import('koa-body');
  // one way in: where no form is expected none can pass for JSON, and nothing is ever written to a file
  return koaBody({
    json: true,
    urlencoded: forms,
    text: false,
    multipart: false,
    jsonLimit: limit,
    formLimit: limit,
    onError: onParseError,
  }) as Middleware;
}

/** The bytes of a body as they came. @throws ApiError 413 as soon as they are too many, 415 for compressed ones */
export async function readRawBody(ctx: Context, limitBytes: number): Promise<Buffer> {
  if (!['', 'identity'].includes(ctx.get('Content-Encoding')))
    throw new ApiError(415, 'Unsupported content encoding in request.');
  if (Number(ctx.get('Content-Length')) > limitBytes) throw tooLarge(ctx);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of ctx.req) {
    length += (chunk as Buffer).length;
    if (length > limitBytes) throw tooLarge(ctx);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

function tooLarge(ctx: Context): ApiError {
  // the rest of the body is not worth reading
  ctx.set('Connection', 'close');
  return new ApiError(413, 'The request body is too large.');
}

const hasBody = (ctx: Context) => ctx.get('Transfer-Encoding') !== '' || Number(ctx.get('Content-Length')) > 0;

function onParseError(error: Error, ctx: Context): never {
  const { status, type } = error as { status?: number; type?: string };
  if (status === 413 || type === 'entity.too.large') throw tooLarge(ctx);
  if (status === 415) throw new ApiError(415, 'Unsupported content encoding in request.');
  if (error instanceof SyntaxError) throw badBody(error.message.slice(0, 200));
  throw new ApiError(400, 'The request body could not be read.');
}

/** Without recursion: this is what protects the recursive functions behind it. */
function assertShallow(body: object): void {
  let level: unknown[] = [body];
  for (let depth = 0; level.length; depth++) {
    if (depth > maxDepth) throw badBody(`nested deeper than ${maxDepth} levels`);
    const next: unknown[] = [];
    for (const item of level) {
      for (const value of Object.values(item as object))
        if (typeof value === 'object' && value !== null) next.push(value);
    }
    level = next;
  }
}
