import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';
import type { Middleware } from 'koa';

// TLS ends in front of us: whoever ends it decides whether every visit must use it
const secure = helmet({
  strictTransportSecurity: false,
  contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } },
});

/** The same for every answer, so they are asked for once and not at every request. */
const headers = await headersOf(secure);

export const securityHeaders: Middleware = (ctx, next) => {
  for (const [name, value] of headers) ctx.res.setHeader(name, value);
  return next();
};

async function headersOf(middleware: typeof secure): Promise<[string, string][]> {
  const set: [string, string][] = [];
  const response = {
    setHeader: (name: string, value: unknown) => set.push([name, String(value)]),
    removeHeader: () => undefined,
  };
  await new Promise<void>((resolve, reject) =>
    middleware({} as IncomingMessage, response as unknown as ServerResponse, (error?: unknown) =>
      error ? reject(error) : resolve(),
    ),
  );
  return set;
}
